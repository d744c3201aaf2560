import path from 'node:path';
import { MONITORING_FILES } from '../monitoring/files.ts';
import { clientTypes } from './client-types.ts';
import { configurationReference, configurationSchema } from './configuration.ts';
import { errorsPage } from './errors.ts';
import { governedPage } from './governed.ts';
import { helmValues, kubernetesPage } from './helm-values.ts';
import { logsPage } from './logs.ts';
import { LOSSES_PAGES } from './losses/index.ts';
import { managementPage } from './management.ts';
import { metricsPage } from './metrics.ts';
import { providerRulesPage } from './provider-rules.ts';
import { providersPage } from './providers.ts';
import { readmePage } from './readme.ts';
import { securityPage } from './security.ts';
import { statusSchema } from './status.ts';
import { textFormatsPage } from './text-formats.ts';

export const docsFolder = path.join(import.meta.dir, '..', '..', 'docs');

/** The files that are generated from code, by their paths from docs. */
export const PAGES: readonly { readonly name: string; make(): string | Promise<string> }[] = [
  { name: '../README.md', make: readmePage },
  { name: '../dashboard/api/schema.ts', make: clientTypes },
  { name: '../deploy/helm/switchyard/values.yaml', make: helmValues },
  { name: 'configuration-reference.md', make: configurationReference },
  { name: 'configuration.schema.json', make: configurationSchema },
  { name: 'errors.md', make: errorsPage },
  { name: 'governed-members.md', make: governedPage },
  { name: 'kubernetes.md', make: kubernetesPage },
  { name: 'logs.md', make: logsPage },
  ...LOSSES_PAGES,
  { name: 'management.md', make: managementPage },
  { name: 'metrics.md', make: metricsPage },
  { name: 'provider-rules.md', make: providerRulesPage },
  { name: 'providers.md', make: providersPage },
  { name: 'security.md', make: securityPage },
  { name: 'status.schema.json', make: statusSchema },
  { name: 'text-formats.md', make: textFormatsPage },
  ...MONITORING_FILES.map(({ path: name, make }) => ({ name: `../${name}`, make })),
];

/** Writes every page that is not current, or with `--check` only names them and exits with 1. */
async function main(isCheck: boolean): Promise<void> {
  for (const { name, make } of PAGES) {
    const file = path.join(docsFolder, name);
    const made = await make();
    const known = (await Bun.file(file).exists()) ? await Bun.file(file).text() : null;
    if (made === known) continue;
    const shown = path.relative(path.join(docsFolder, '..'), file);
    console.log(isCheck ? `${shown} is out of date; run npm run generate` : `wrote ${shown}`);
    if (isCheck) process.exitCode = 1;
    else await Bun.write(file, made);
  }
}

if (import.meta.main) await main(process.argv.includes('--check'));
