import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { crdSchemas } from './crd-schemas.ts';
import { goProgram } from './go.ts';
import { output } from './run.ts';
import { markIn } from './tools.ts';
import versions from './versions.json';

/*
 * Installs Helm, kubeconform, the Compose Specification's own program, a collector of telemetry, a judge of dashboards, the schemas of Kubernetes and
 * Traefik's reference into a folder outside of the repository, and prints the folder. The programs are built from their Go modules; the schemas come
 * from the Python package index and from modules.
 * `bun acceptance/shared/go-tools/install.ts`
 */

/** The files that decide what is installed. */
const RECIPE = [
  'versions.json',
  'install.ts',
  'crd-schemas.ts',
  ...['collector', 'dashboards'].flatMap((folder) => ['main.go', 'go.mod', 'go.sum'].map((name) => join(folder, name))),
];
const GO_MODULES = {
  helm: `helm.sh/helm/v3/cmd/helm@${versions.helm}`,
  kubeconform: `github.com/yannh/kubeconform/cmd/kubeconform@${versions.kubeconform}`,
};

/** Renders and judges compose files. Its name is `cmd`. */
const COMPOSE = `github.com/compose-spec/compose-go/v2/cmd@${versions['compose-go']}`;

/** The program of ours around OpenTelemetry's receiver. Its `go.mod` names the versions. */
const COLLECTOR = join(import.meta.dir, 'collector');

/** The judge of Grafana's dashboards, around Grafana's own library. */
const DASHBOARDS = join(import.meta.dir, 'dashboards');

/** The modules with the definitions of custom resources, and the files in them. */
const CRD_FILES = [
  {
    module: `sigs.k8s.io/gateway-api@${versions['gateway-api']}`,
    file: 'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml',
  },
  {
    module: `github.com/prometheus-operator/prometheus-operator@${versions['prometheus-operator']}`,
    file: 'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml',
  },
  {
    module: `github.com/prometheus-operator/prometheus-operator@${versions['prometheus-operator']}`,
    file: 'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml',
  },
];

const TRAEFIK = `github.com/traefik/traefik/v3@${versions.traefik}`;

async function install(): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME || join(process.env.HOME || homedir(), '.cache');
  const recipe = await Promise.all(RECIPE.map((name) => Bun.file(join(import.meta.dir, name)).text()));
  const key = createHash('sha256').update(recipe.join()).digest('hex').slice(0, 16);
  const parent = join(cache, 'switchyard-ci');
  const folder = join(parent, `go-tools-${key}`);
  if (existsSync(markIn(folder))) return folder;
  await mkdir(parent, { recursive: true });
  const go = await goProgram(parent);
  // An interrupted installation leaves no folder that looks complete.
  const unfinished = await mkdtemp(join(parent, 'go-tools-unfinished-'));
  try {
    await installSchemas(go, join(unfinished, 'schemas'));
    const reference = join(await moduleFolder(go, TRAEFIK), 'docs', 'content', 'reference');
    for (const part of ['static', 'dynamic']) {
      const text = await Bun.file(join(reference, `${part}-configuration`, 'file.yaml')).text();
      await Bun.write(join(unfinished, 'traefik', `${part}.yaml`), text);
    }
    await installProgram(go, COMPOSE, join(unfinished, 'compose'));
    await buildProgram(go, COLLECTOR, join(unfinished, 'bin', 'collector'));
    await buildProgram(go, DASHBOARDS, join(unfinished, 'bin', 'dashboards'));
    // Last, because they take longest.
    for (const module of Object.values(GO_MODULES)) await installProgram(go, module, join(unfinished, 'bin'));
    await Bun.write(markIn(unfinished), JSON.stringify(versions));
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}

const BUILD_ENVIRONMENT = { CGO_ENABLED: '0', GOFLAGS: '-trimpath', GOWORK: 'off' };

async function installProgram(go: string, module: string, folder: string): Promise<void> {
  await output([go, 'install', '-ldflags=-s -w', module], { ...BUILD_ENVIRONMENT, GOBIN: folder });
}

/** Builds the program of a module in this repository. */
async function buildProgram(go: string, folder: string, program: string): Promise<void> {
  await output([go, 'build', '-C', folder, '-buildvcs=false', '-ldflags=-s -w', '-o', program, '.'], BUILD_ENVIRONMENT);
}

async function installSchemas(go: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const wheel = `kubernetes-validate==${versions['kubernetes-validate']}`;
  // Debian's own Python has no pip; the one of the guides' examples has.
  const python = process.env.SWITCHYARD_TEST_PYTHON || 'python3';
  await output([python, '-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, wheel]);
  const file = readdirSync(folder).find((name) => name.endsWith('.whl'));
  if (file === undefined) throw new Error(`${wheel} has no wheel`);
  await output([python, '-c', UNPACK, join(folder, file), folder, ...versions.kubernetes]);
  await rm(join(folder, file));
  for (const { module, file: definition } of CRD_FILES) {
    const text = await Bun.file(join(await moduleFolder(go, module), definition)).text();
    for (const { name, schema } of crdSchemas(text)) {
      await Bun.write(join(folder, 'crds', name), JSON.stringify(schema));
    }
  }
}

/** Downloads a module without the modules that it needs; resolves to its folder. */
async function moduleFolder(go: string, module: string): Promise<string> {
  const { Dir } = JSON.parse(await output([go, 'mod', 'download', '-json', module])) as { readonly Dir: string };
  return Dir;
}

/** Unpacks the strict schemas of the versions into one folder each, with references between files that kubeconform can follow. */
const UNPACK = `
import json, os, sys, zipfile
wheel, folder, *versions = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    for version in versions:
        prefix = f'kubernetes_validate/kubernetes-json-schema/v{version}-local-strict/'
        names = [name for name in archive.namelist() if name.startswith(prefix)]
        if not names:
            sys.exit(f'no schemas of Kubernetes {version}')
        os.makedirs(os.path.join(folder, version))
        for name in names:
            text = archive.read(name).decode().replace('/api/_definitions.json#', '_definitions.json#')
            schema = json.loads(text)
            schema.pop('$id', None)
            with open(os.path.join(folder, version, os.path.basename(name)), 'w') as file:
                json.dump(schema, file)
`;

if (import.meta.main) console.log(await install());
