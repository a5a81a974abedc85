// The order of what the search finds: guides and tutorials, then pages of games and rules, then the rest.
var Scorer = {
  score: ([page, , , , score]) => {
    if (/^docs\/(tutorials\/)?[^/]+$/.test(page) && !page.endsWith(".ja")) return score + 100;
    return score + (/^docs\/(games|rules)\//.test(page) ? 50 : 0);
  },
  // as Sphinx has them
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
