/* A generated pack of 100 tools in 12 domains, to measure the supervisor's prompt with many tools. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const DOMAINS = ['ferry', 'kitchen', 'theatre', 'orchard', 'clinic', 'garage', 'hotel', 'airport', 'school', 'stadium', 'museum', 'quarry'];
const MEASURES = [
  ['delays', 'late arrivals and how long they lasted', 'How late was'],
  ['costs', 'what was spent, month by month, beside the year before', 'What did we spend at'],
  ['visitors', 'how many people came, with the busiest day', 'How many people came to'],
  ['repairs', 'open and finished repairs, the oldest first', 'Which repairs are open at'],
  ['staff', 'who worked how many hours, by shift', 'Who worked most hours at'],
  ['complaints', 'what guests complained about, by cause', 'What did guests complain about at'],
  ['inventory', 'what is in stock and what runs out next', 'What runs out next at'],
  ['revenue', 'income by week, with the best and the worst week', 'How much income had'],
];
const EXTRA = ['weather', 'energy', 'safety', 'parking']; /* one each for the first domains */
const SITES = Array.from({ length: 30 }, (_, i) => `Site-${String.fromCharCode(65 + (i % 26))}${i}`);

function toolFile(domain, [name, about]) {
  return `-- tool:       get_${domain}_${name}
-- about:      ${domain[0].toUpperCase()}${domain.slice(1)} ${name}: ${about}, for one site and year of the ${domain}.
-- permission: hundred:read
-- param site text required entity=${domain}_site Site of the ${domain}
-- param year int  optional default=2025 min=2000 max=2100 filter=year Year
-- param unit text optional filter=${domain}_unit Unit within the site
-- column "Unit" priority=high
-- column "Amount" type=int priority=high
SELECT r.unit AS "Unit", r.amount AS "Amount"
FROM dbo.${domain}_rows r
WHERE r.tenant_id = :tenant_id AND r.site = :site AND r.row_year = :year
--? unit: AND r.unit = :unit
ORDER BY r.amount DESC
`;
}

function domainFile(domain, tools) {
  return `---
agent: ${domain}_agent
intent: ${domain}
about: Sites of the ${domain}: delays, costs, visitors, repairs, staff, complaints, stock and income.
examples:
${MEASURES.slice(0, 3).map(([, , lead]) => `  - ${lead} the ${domain} of Site-A0 in 2025?`).join('\n')}
tools:
${tools.map(([name]) => `  - get_${domain}_${name}`).join('\n')}
order: ${DOMAINS.indexOf(domain) + 1}
---
You gather figures of the ${domain} with your tools.
`;
}

const write = async (root, path, text) => {
  await mkdir(join(root, path, '..'), { recursive: true });
  await writeFile(join(root, path), text);
};

/* Writes the pack `hundred`. Returns a question for one tool of each domain: {question, tool}. */
export async function makeHundred(root) {
  const questions = [];
  await write(root, 'config/packs.json', JSON.stringify({ packs: [{ name: 'hundred' }] }));
  await write(root, 'config/hundred/permissions.json', JSON.stringify({ permissions: ['hundred:read'], roles: { viewer: ['hundred:read'] } }));
  await write(root, 'config/hundred/words.json', JSON.stringify({ company: 'a company of many trades', synonyms: [], nouns: DOMAINS, version: 1 }));
  await write(root, 'config/hundred/catalogue.json', JSON.stringify({
    views: DOMAINS.map((d) => ({ name: `dbo.${d}_rows`, about: `rows of the ${d}`, permission: 'hundred:read',
      columns: ['site', 'unit', 'row_year', 'amount', 'tenant_id'] })),
    dimensions: DOMAINS.map((d) => ({ name: `${d}_site`, label: `site of the ${d}`, filter: 'site', values: SITES })),
  }));
  for (const [i, domain] of DOMAINS.entries()) {
    const tools = [...MEASURES, ...(EXTRA[i] ? [[EXTRA[i], `what ${EXTRA[i]} did to the ${domain}`, 'x']] : [])];
    for (const tool of tools)
      await write(root, `sql/hundred/${domain}/get_${domain}_${tool[0]}.sql`, toolFile(domain, tool));
    await write(root, `prompts/hundred/${domain}.md`, domainFile(domain, tools));
    const [name, , lead] = MEASURES[i % MEASURES.length];
    questions.push({ question: `${lead} the ${domain}, roughly, by your own feeling and that of our friends?`, tool: `get_${domain}_${name}` });
  }
  return questions;
}
