import type { Configuration } from '../../../engine/admin/configuration/configuration.ts';
import type { ExportSettings } from '../../../engine/ports/export-destination.ts';
import { openDestination, placeOf } from '../../create-exports.ts';
import { type Finding, fail, ok } from './finding.ts';

/** Checks that the request log can be exported: a file is written and deleted, a table has all columns and takes rows. */
export async function checkExports(configuration: Configuration | null): Promise<readonly Finding[]> {
  return (await Promise.all((configuration?.exports.targets ?? []).map(checkExport))).flat();
}

async function checkExport(settings: ExportSettings): Promise<readonly Finding[]> {
  const subject = `export ${settings.id}`;
  const place = placeOf(settings);
  const destination = await openDestination(settings);
  try {
    const problems = await destination.check();
    return problems.length === 0 ? [ok(subject, place)] : problems.map((one) => fail(subject, `${place}: ${one}`));
  } finally {
    await destination.close();
  }
}
