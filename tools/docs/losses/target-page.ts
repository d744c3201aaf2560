import { FEATURES } from '../../../src/domain/exchange/loss.ts';
import type { UpstreamFormat } from '../../../src/formats/text/format.ts';
import { SIGNS, targets } from './fates.ts';

const INTRODUCTION = `# What each upstream format carries

Generated from the code by \`npm run generate\`; a test fails while this page differs from it.
[The meaning of the signs](../losses.md).

A feature is part of a request, whatever its field is called in the client's format. Some features are specific to a format or vendor (a stored file, a
hosted tool, reasoning state): they are not carried from another format, even if this table has \`=\`. Providers can differ from their formats:
[providers](providers.md).
`;

/** Generates docs/losses/targets.md. */
export function targetPage(): string {
  const upstreams = targets();
  const table = [
    `| feature | ${upstreams.map(({ name }) => name).join(' | ')} |`,
    `|---|${upstreams.map(() => ':-:').join('|')}|`,
    ...FEATURES.map((feature) => {
      const signs = upstreams.map(({ carries }) => {
        const carriage = carries[feature];
        return SIGNS[carriage === 'exact' ? 'exact' : carriage.verdict];
      });
      return `| ${feature} | ${signs.join(' | ')} |`;
    }),
    '',
  ];
  return [INTRODUCTION, ...table, ...upstreams.map(whySection)].join('\n');
}

function whySection({ name, carries }: UpstreamFormat): string {
  const losses = FEATURES.flatMap((feature) => {
    const carriage = carries[feature];
    return carriage === 'exact' ? [] : [`- ${feature}: ${carriage.verdict}, ${carriage.why}`];
  });
  return [`## Reasons for ${name}`, '', ...losses, ''].join('\n');
}
