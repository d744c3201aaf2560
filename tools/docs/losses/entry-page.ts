import { clients, countsAt, fieldRows, SIGNS, targets, targetsOf, VERDICTS } from './fates.ts';

const INTRODUCTION = `# What survives translation

Generated from the code by \`npm run generate\`; a test fails while this page differs from it.

A request whose channel speaks the client's own format is relayed byte for byte and loses nothing. Where it has to be
translated, every field of every format has one of four fates:

| sign | | |
|---|---|---|
| \`=\` | carried | carried exactly, or served by the gateway itself |
| \`≈\` | approximated | expressed in another way, and named in the header \`x-switchyard-losses\` |
| \`–\` | dropped | a tuning parameter without effect at the target: left out, and named in the header |
| \`✗\` | refused | leaving it out would change the meaning: the request goes to another channel, or is answered with a 400 that names the field |

The header is a JSON array of \`{field, verdict, why}\`. A field that no version of a format is known to have is left out and named.
Reasoning state goes back only to the provider that issued it; elsewhere it is left out.

## From each client format to each upstream format

How many fields have each fate, of those that other formats know, too. A field counts by itself only where it fares otherwise than the
field that holds it, so a small number of refused fields may still be the ones that matter: the page of each client format says
which they are, and why.
`;

const OTHER_PAGES = `## Further

- [What each upstream format carries](losses/targets.md), feature by feature, and why not more.
- [Where a provider differs from its format](losses/providers.md).
- [How translation works](translation.md).
`;

/** Generates docs/losses.md. */
export function entryPage(): string {
  const upstreams = targets();
  const lines = clients().map((client) => {
    const rows = fieldRows(client);
    const shared = rows.filter(({ isOwn }) => !isOwn);
    const names = targetsOf(client).map(({ name }) => name);
    const cells = upstreams.map(({ name }) => {
      const at = names.indexOf(name);
      if (at < 0) return 'relayed';
      const counts = countsAt(shared, at);
      return VERDICTS.filter((verdict) => counts[verdict] > 0)
        .map((verdict) => `${counts[verdict]} ${SIGNS[verdict]}`)
        .join(', ');
    });
    return `| [${client.name}](losses/${client.name}.md) | ${rows.length - shared.length} | ${cells.join(' | ')} |`;
  });
  return [
    INTRODUCTION,
    `| from | only there | ${upstreams.map(({ name }) => `to ${name}`).join(' | ')} |`,
    `|---|--:|${upstreams.map(() => '---').join('|')}|`,
    ...lines,
    '',
    OTHER_PAGES,
  ].join('\n');
}
