import { FORMATS } from '../judges/index.ts';
import { checkRequest, type RequestVerdict } from './check-request.ts';
import type { ClientRequest } from './recorded-requests.ts';
import type { RequestBed } from './request-bed.ts';
import { TARGET_FORMATS } from './targets.ts';

/** Sends every request to every other format: sequentially to each target, with all targets in parallel. */
export async function checkRequests(
  bed: RequestBed,
  requests: readonly ClientRequest[],
): Promise<readonly RequestVerdict[]> {
  const verdicts = await Promise.all(
    TARGET_FORMATS.map(async (target) => {
      const ofTarget: RequestVerdict[] = [];
      for (const request of requests) {
        if (request.format !== target) ofTarget.push(await checkRequest(bed, request, target));
      }
      return ofTarget;
    }),
  );
  return verdicts.flat();
}

export function describeProblem({ request, target, problems }: RequestVerdict): string {
  return `${request.format} to ${target}: ${request.name}\n  ${problems.join('\n  ')}`;
}

/** Formats a table of client formats by targets with the numbers of carried, refused and failed requests. */
export function requestTable(verdicts: readonly RequestVerdict[]): string {
  const row = (name: string, cells: readonly string[]) =>
    name.padEnd(20) + cells.map((cell) => cell.padStart(20)).join('');
  const lines = FORMATS.map((format) =>
    row(
      format,
      TARGET_FORMATS.map((target) => {
        const cell = verdicts.filter((one) => one.request.format === format && one.target === target);
        const count = (outcome: RequestVerdict['outcome']) => cell.filter((one) => one.outcome === outcome).length;
        return cell.length === 0 ? '-' : `${count('carried')} / ${count('refused')} / ${count('failed')}`;
      }),
    ),
  );
  return [row('requests', TARGET_FORMATS), ...lines].join('\n');
}
