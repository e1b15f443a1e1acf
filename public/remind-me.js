// A "Remind me" button for product and order pages. It is a link: nothing is stored, no cookie is set and nothing is
// fetched before somebody sends the form that it opens.
//
//   <script src="https://YOUR-PUNCTUAL/remind-me.js" defer></script>
//   <remind-me title="Espresso beans" url="https://shop.example/p/1" when="in 4 weeks">Remind me</remind-me>
//
// Attributes: title, url (this page, when absent), note, when (an instant, a wall time, or words such as "in 2 days"),
// repeat (an RRULE). Without script, write the link yourself: https://YOUR-PUNCTUAL/reminders/new?title=…&url=…&when=…

const home = new URL(document.currentScript?.src ?? location.href).origin;

class RemindMe extends HTMLElement {
  static observedAttributes = ["title", "url", "note", "when", "repeat"];

  connectedCallback() {
    this.draw();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.draw();
  }

  draw() {
    const query = new URLSearchParams();
    for (const name of RemindMe.observedAttributes) {
      const value = name === "url" ? (this.getAttribute("url") ?? location.href) : this.getAttribute(name);
      if (value !== null && value !== "") query.set(name, value);
    }
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const style = document.createElement("style");
    style.textContent = `a { display: inline-flex; align-items: center; gap: 0.5em; min-height: 44px; box-sizing: border-box;
        padding: 0 1em; border: 1px solid currentColor; border-radius: 0.5em; font: inherit; font-weight: 600;
        color: inherit; text-decoration: none }
      a:focus-visible { outline: 2px solid currentColor; outline-offset: 2px }
      svg { width: 1.1em; height: 1.1em }`;
    const link = document.createElement("a");
    link.part = "link";
    link.href = `${home}/reminders/new?${query}`;
    link.target = "_blank";
    link.rel = "noopener";
    link.innerHTML = `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"
      aria-hidden="true"><circle cx="12" cy="13" r="8"/><path d="M12 9v4l2.5 2M5 3 2.5 5.5M19 3l2.5 2.5"/></svg><slot>Remind me</slot>`;
    root.replaceChildren(style, link);
  }
}

customElements.define("remind-me", RemindMe);
