import { existsSync } from 'node:fs';
import { join } from 'node:path';

/* Where the programs and schemas are that `install.ts` installs. */

/** The variable that names the folder, which `install.ts` prints. */
export const TOOLS_VARIABLE = 'SWITCHYARD_TEST_GO_TOOLS';

const folder = process.env[TOOLS_VARIABLE] ?? '';

export const HELM = join(folder, 'bin', 'helm');
export const KUBECONFORM = join(folder, 'bin', 'kubeconform');
/** Receives OTLP and writes what arrives to files (`collector/main.go`). */
export const COLLECTOR = join(folder, 'bin', 'collector');
/** Prints a compose file as JSON, or why it is not valid. */
export const COMPOSE = join(folder, 'compose', 'cmd');
/** Prints what Grafana's library does not accept in files of dashboards. */
export const DASHBOARD_JUDGE = join(folder, 'bin', 'dashboards');
/** Has a folder per version of Kubernetes, and `crds`. */
export const SCHEMAS = join(folder, 'schemas');
/** Has `static.yaml` and `dynamic.yaml`, which contain every key that Traefik knows. */
export const TRAEFIK_REFERENCE = join(folder, 'traefik');

/** Returns the file that exists when an installation is complete. */
export const markIn = (installed: string) => join(installed, 'installed');

export function hasGoTools(): boolean {
  return folder !== '' && existsSync(markIn(folder));
}
