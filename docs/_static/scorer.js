// What the search puts first: a heading that holds the whole query, then symptoms, and lists last.
var Scorer = {
  score: ([page, title, anchor, description, score]) => {
    const query = new URLSearchParams(location.search).get("q").trim().toLowerCase();
    const isNamed = title.toLowerCase().includes(query);
    const isList = ["rules/index", "rules/by-framework"].includes(page);
    return score + 10 * isNamed + (page === "rules/by-symptom") - 12 * isList;
  },
  // The rest is Sphinx' own.
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
