/* Lets exceptions find their handlers in programs that the linker gave no index of unwind tables.

   `gcc -static` makes no such index. Its start code passes the tables to the unwinder that the
   program itself is linked to, but libsched.a has an unwinder of its own, which must be told as
   well. This object comes first when libsched.a is merged, so its table begins all of the
   library's. The first entry differs from every entry that a compiler makes, because the linker
   merges equal ones and would move this beginning. */
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>

/* An entry for all frames ("CIE"), with the alignment of data -1, and one for the byte at `anchor`.
 */
__asm__(
    "  .text\n"
    "anchor:\n"
    "  .byte 0\n"
    "  .section .eh_frame,\"a\",%progbits\n"
    "  .balign 8\n"
    "  .hidden libsched_unwind_frames\n"
    "  .globl libsched_unwind_frames\n"
    "libsched_unwind_frames:\n"
    "  .long 2f - 1f\n"
    "1: .long 0\n"
    "  .byte 1\n"       /* version */
    "  .asciz \"zR\"\n" /* there is the encoding of addresses */
    "  .uleb128 1\n"    /* alignment of code */
    "  .sleb128 -1\n"   /* alignment of data */
    "  .byte 0\n"       /* register of the return address */
    "  .uleb128 1\n"    /* bytes of the encoding */
    "  .byte 0x1b\n"    /* relative to its place, four bytes, signed */
    "  .balign 8\n"
    "2: .long 4f - 3f\n"
    "3: .long 3b - libsched_unwind_frames\n"
    "  .long anchor - .\n"
    "  .long 1\n"
    "  .uleb128 0\n"
    "  .balign 8\n"
    "4:\n"
    "  .text\n");

extern const char libsched_unwind_frames[] __attribute__((visibility("hidden")));

/* LIBSCHED_REGISTER_FRAMES is the unwinder's function that takes the beginning of a table: GCC's or
 * LLVM's. */
#ifdef LIBSCHED_LLVM_UNWINDER
#define LIBSCHED_REGISTER_FRAMES __unw_add_dynamic_eh_frame_section
void __unw_add_dynamic_eh_frame_section(uintptr_t begin);
#else
#define LIBSCHED_REGISTER_FRAMES __register_frame
void __register_frame(uintptr_t begin);
#endif

/* Stops at the program or shared object that has this table, and says whether there is an index. */
static int look_for_index(struct dl_phdr_info* info, size_t size, void* found) {
  (void)size;
  const uintptr_t at = (uintptr_t)libsched_unwind_frames - info->dlpi_addr;
  int here = 0, index = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    if (part->p_type == PT_LOAD && at - part->p_vaddr < part->p_memsz) here = 1;
    if (part->p_type == PT_GNU_EH_FRAME) index = 1;
  }
  if (here) *(int*)found = index;
  return here;
}

/* Runs before the constructors of C++, which may throw. */
__attribute__((constructor(101))) static void register_frames(void) {
  int found = 0;
  dl_iterate_phdr(look_for_index, &found);
  if (!found) LIBSCHED_REGISTER_FRAMES((uintptr_t)libsched_unwind_frames);
}
