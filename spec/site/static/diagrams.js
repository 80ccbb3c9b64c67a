// Draws the diagrams of a page, in the colours of its theme, and again when the theme changes. Mermaid is large: only pages that have
// diagrams load it.
const diagrams = [...document.querySelectorAll("pre.mermaid")].map((place) => ({ place, text: place.textContent }));
if (diagrams.length) {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const dark = () => document.body.dataset.theme === "dark" || (document.body.dataset.theme !== "light" && system.matches);
  let drawn, work = Promise.resolve();
  const draw = () => {
    work = work.then(async () => {
      if (dark() === drawn) return;
      drawn = dark();
      mermaid.initialize({ startOnLoad: false, suppressErrorRendering: true, theme: drawn ? "dark" : "default", fontFamily: "sans-serif" });
      for (const [number, { place, text }] of diagrams.entries()) {
        try {
          place.innerHTML = (await mermaid.render(`diagram-${number}`, text)).svg;
          place.dataset.drawn = drawn ? "dark" : "light";
        } catch (error) {
          place.dataset.drawn = "failed"; // its text is shown
          console.error(error);
        }
      }
    });
  };
  const script = document.createElement("script");
  script.src = new URL("mermaid.min.js", document.currentScript.src);
  script.onload = () => {
    draw();
    system.addEventListener("change", draw);
    new MutationObserver(draw).observe(document.body, { attributeFilter: ["data-theme"] });
  };
  document.head.append(script);
}
