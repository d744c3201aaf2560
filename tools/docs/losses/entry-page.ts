import { clients, countsAt, fieldRows, SIGNS, targets, targetsOf, VERDICTS } from './fates.ts';

const INTRODUCTION = `# What survives translation

Generated from the code by \`npm run generate\`; a test fails while this page differs from it.

A request to a channel with the client's format is relayed byte for byte and loses nothing. If it must be translated, each field has one of four
outcomes:

| sign | | |
|---|---|---|
| \`=\` | carried | carried exactly, or served by the gateway itself |
| \`≈\` | approximated | expressed differently, and named in the header \`x-switchyard-losses\` |
| \`–\` | dropped | a tuning parameter that the target does not have: left out, and named in the header |
| \`✗\` | refused | leaving it out would change the meaning: the request goes to another channel, or is a 400 that names the field |

The header is a JSON array of \`{field, verdict, why}\`. A field that is unknown in every version of a format is left out and named. Reasoning state is
returned only to the provider that issued it.

## From each client format to each upstream format

The number of fields with each outcome, without fields that only the client's format has. A nested field counts only if its outcome differs from its
parent's, so even a small number of refused fields can matter: the page of each client format lists them with the reasons.
`;

const OTHER_PAGES = `## More

- [What each upstream format carries](losses/targets.md), by feature, with the reasons.
- [Where providers differ from their formats](losses/providers.md).
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
