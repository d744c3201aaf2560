import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hasReleaseHistory } from '../../acceptance/shared/checkout.ts';
import { CHROMIUM } from '../../acceptance/shared/chromium.ts';
import { hasGoTools, TOOLS_VARIABLE } from '../../acceptance/shared/go-tools/tools.ts';
import { sharedFolder } from '../../conformance/shared/recordings.ts';
import { hasTestPostgres, POSTGRES_REQUIREMENTS } from '../../src/stores/shared/testing/postgres.ts';
import { SMALL_DISK_REQUIREMENT, SmallDisk } from '../../src/stores/shared/testing/small-disk.ts';

/** The requirements that an acceptance suite may have, and the message if one is missing. */
const REQUIREMENTS = {
  recordings: {
    isMet: () => existsSync(join(sharedFolder, 'recordings', 'index.jsonl')),
    missing: 'recorded provider traffic is missing; set SWITCHYARD_SHARED to its folder',
  },
  redis: { isMet: () => Bun.which('redis-server') !== null, missing: 'redis-server is not installed' },
  postgres: { isMet: () => hasTestPostgres('newest'), missing: `missing: ${POSTGRES_REQUIREMENTS.newest}` },
  'postgres-15': { isMet: () => hasTestPostgres('oldest'), missing: `missing: ${POSTGRES_REQUIREMENTS.oldest}` },
  'release-history': {
    isMet: () => hasReleaseHistory(),
    missing: 'the commits of released versions are missing; fetch the whole history (git fetch --unshallow)',
  },
  'small-disk': { isMet: () => SmallDisk.isPossible(), missing: `missing: ${SMALL_DISK_REQUIREMENT}` },
  chromium: { isMet: () => CHROMIUM !== null, missing: 'Chromium is not installed' },
  python: {
    isMet: () => Boolean(process.env.SWITCHYARD_TEST_PYTHON),
    missing: 'SWITCHYARD_TEST_PYTHON is not set to a Python with the packages of acceptance/guides/requirements.txt',
  },
  'python-analytics': {
    isMet: hasAnalytics,
    missing: 'SWITCHYARD_TEST_PYTHON is not set to a Python with the packages of acceptance/exports/requirements.txt',
  },
  'thread-times': {
    isMet: () => existsSync('/proc/self/schedstat'),
    missing: 'the system does not report CPU times of threads (/proc/self/schedstat on Linux)',
  },
  prometheus: {
    isMet: () => hasPrograms('prometheus', 'promtool'),
    missing: 'prometheus and promtool are not installed (Debian: prometheus)',
  },
  curl: { isMet: () => Bun.which('curl') !== null, missing: 'curl is not installed' },
  jq: { isMet: () => Bun.which('jq') !== null, missing: 'jq is not installed' },
  // Debian installs nginx where only root looks for programs.
  nginx: {
    isMet: () => Bun.which('nginx') !== null || existsSync('/usr/sbin/nginx'),
    missing: 'nginx is not installed',
  },
  caddy: { isMet: () => Bun.which('caddy') !== null, missing: 'caddy is not installed' },
  'systemd-analyze': {
    isMet: () => Bun.which('systemd-analyze') !== null,
    missing: 'systemd-analyze is not installed (Debian: systemd)',
  },
  'go-tools': {
    isMet: hasGoTools,
    missing: `${TOOLS_VARIABLE} is not set to the folder that \`bun acceptance/shared/go-tools/install.ts\` prints`,
  },
  image: {
    isMet: () => isRoot() && hasPrograms('buildah', 'mmdebstrap', 'unshare', 'nsenter', 'setpriv'),
    missing: 'building and running an image needs root on Debian, with buildah and mmdebstrap',
  },
  compose: {
    isMet: () =>
      isRoot() && hasPrograms('ip', 'unshare', 'nsenter', 'setpriv', 'wget', 'prometheus') && hasTestPostgres('oldest'),
    missing:
      'starting the services of the compose file needs root on Debian, with iproute2, wget, prometheus and postgresql-15',
  },
  clients: {
    isMet: () => Boolean(process.env.SWITCHYARD_CLIENTS),
    missing: 'SWITCHYARD_CLIENTS is not set; acceptance/clients/main.ts installs published clients',
  },
} as const;

function hasAnalytics(): boolean {
  const python = process.env.SWITCHYARD_TEST_PYTHON;
  const script = 'import importlib.util as u; exit(not all(u.find_spec(name) for name in ("chdb", "duckdb")))';
  return Boolean(python) && Bun.spawnSync([python ?? '', '-c', script]).exitCode === 0;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function hasPrograms(...names: readonly string[]): boolean {
  return names.every((name) => Bun.which(name) !== null);
}

export type Requirement = keyof typeof REQUIREMENTS;

export function isRequirement(name: unknown): name is Requirement {
  return typeof name === 'string' && Object.hasOwn(REQUIREMENTS, name);
}

/** Returns why tests with these needs cannot run here; `null` if they can. */
export function unmet(needs: readonly Requirement[]): string | null {
  const missing = needs.filter((need) => !REQUIREMENTS[need].isMet());
  return missing.length === 0 ? null : missing.map((need) => REQUIREMENTS[need].missing).join('; ');
}
