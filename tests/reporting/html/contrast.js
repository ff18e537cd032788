/* Texts of the page whose contrast with what lies behind them is below that of AA. */
(() => {
  const channel = (value) => { const part = value / 255; return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4; };
  const parts = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const behind = (each) => {
    for (let one = each; one; one = one.parentElement) {
      const found = parts(getComputedStyle(one).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  const bad = [];
  for (const each of document.querySelectorAll("body *:not(script):not(style):not(noscript)")) {
    const own = [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || each.disabled || each.closest("noscript") || !each.getClientRects().length) continue;
    const ink = parts(each instanceof SVGElement ? getComputedStyle(each).fill : getComputedStyle(each).color);
    const [one, other] = [light(ink), light(behind(each))].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < 4.5) bad.push(`${each.tagName}.${each.className} ${each.textContent.slice(0, 30)} ${ratio.toFixed(2)}`);
  }
  return bad;
})()
