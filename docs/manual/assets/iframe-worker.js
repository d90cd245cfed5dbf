/* Lets the search work on pages that are opened as files, where browsers refuse workers: a Worker that runs its
   script in a hidden frame. On a server nothing changes. */
(function () {
  "use strict";
  if (location.protocol !== "file:") return;

  function prepare() {
    window.postMessage = function (data) { parent.dispatchEvent(new MessageEvent("frame-worker", {data: data})); };
    window.importScripts = function () {
      return Array.from(arguments).reduce(function (before, url) {
        return before.then(function () {
          return new Promise(function (done) {
            var script = document.createElement("script");
            script.src = url;
            script.onload = done;
            document.body.appendChild(script);
          });
        });
      }, Promise.resolve());
    };
  }

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      this.heard = (event) => {
        const message = new MessageEvent("message", {data: event.data});
        this.dispatchEvent(message);
        if (this.onmessage) this.onmessage(message);
      };
      window.addEventListener("frame-worker", this.heard);
      const page = this.frame.contentDocument;
      page.open();
      page.write("<!doctype html><html><body><script>(" + prepare + ")();<\/script>" +
                 "<script src=\"" + String(url).replace(/"/g, "&quot;") + "\"><\/script></body></html>");
      page.close();
      this.ready = new Promise((done) => { this.frame.contentWindow.onload = done; });
    }

    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(
        new MessageEvent("message", {data: structuredClone(data)})));
    }

    terminate() {
      window.removeEventListener("frame-worker", this.heard);
      this.frame.remove();
    }
  };
})();
