"""Groups symbols into cards of the page: a comment and all symbols that it describes are one card."""

import dataclasses


@dataclasses.dataclass
class Card:
    symbols: list
    about: object = None  # the prose of the whole card

    @property
    def title(self):
        return self.symbols[0].name


def _belongs(symbol, card):
    """Tells whether the card's comment describes a symbol, which may have a note beside it."""
    if symbol.kind in ("handle", "struct") or not card or card.about is None:
        return False
    return symbol.group.blocks and symbol.group.blocks == card.about.blocks


def of(header, section):
    """The cards of a section; _ref and _unref join their handle's card."""
    cards, handles, later = [], {}, []
    for symbol in section.symbols:
        home = handles.get(symbol.name.removesuffix("_unref").removesuffix("_ref"))
        if symbol.counts_references and home:
            home.symbols.append(symbol)
            continue
        if symbol.counts_references:
            later.append(symbol)
            continue
        if cards and _belongs(symbol, cards[-1]):
            cards[-1].symbols.append(symbol)
        elif symbol.kind == "macro" and cards and symbol.name == f"{cards[-1].title.upper()}_INIT":
            cards[-1].symbols.append(symbol)
        else:
            leading = symbol.own.blocks and symbol.own.blocks == symbol.group.blocks
            cards.append(Card([symbol], symbol.group if leading else None))
        if symbol.kind == "handle":
            handles[symbol.name] = cards[-1]
    cards += [Card([symbol]) for symbol in later]
    return cards


def of_header(header):
    """[(section, cards)]; references whose handle is in an earlier section of the header join it."""
    made = [(section, of(header, section)) for section in header.sections]
    homes = {card.title: card for _, cards in made for card in cards
             if card.symbols[0].kind == "handle"}
    for _, cards in made:
        for card in list(cards):
            name = card.title.removesuffix("_unref").removesuffix("_ref")
            if len(card.symbols) == 1 and card.symbols[0].counts_references and name in homes:
                homes[name].symbols += card.symbols
                cards.remove(card)
    return made
