import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { asObject } from '../../conformance/shared/json.ts';
import { PROJECT } from '../../conformance/shared/workspace.ts';
import { HELM } from '../shared/go-tools/tools.ts';
import versions from '../shared/go-tools/versions.json';

/* The chart as its users see it: values in, manifests out. */

export const CHART = join(PROJECT, 'deploy', 'helm', 'switchyard');
export const VALUES = join(import.meta.dir, 'values');

/** Helm asks no cluster here, so it has to be told the version. */
export const KUBERNETES = ['--kube-version', versions.kubernetes.at(-1) ?? ''];

/** The names of the value files: every situation that is rendered. */
export const SITUATIONS: readonly string[] = readdirSync(VALUES)
  .map((name) => name.replace('.yaml', ''))
  .sort();

export type Json = Readonly<Record<string, unknown>>;

export interface Manifest extends Json {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}

export interface Output {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function run(command: readonly string[], input?: string): Promise<Output> {
  const child = Bun.spawn([...command], {
    // Helm reads plug-ins and repositories of the user otherwise.
    env: {
      PATH: process.env.PATH ?? '',
      HOME: '/nonexistent',
      HELM_PLUGINS: '/nonexistent',
      KUBECONFIG: '/nonexistent',
    },
    stdin: input === undefined ? 'ignore' : new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { exitCode, stdout, stderr };
}

/** Runs `helm template` with a value file, or with values as an object. */
export function template(values: string | object, ...more: readonly string[]): Promise<Output> {
  const command = [HELM, 'template', 'gateway', CHART, '--namespace', 'ai', ...KUBERNETES, ...more];
  if (typeof values === 'string') return run([...command, '--values', join(VALUES, `${values}.yaml`)]);
  return run([...command, '--values', '-'], JSON.stringify(values));
}

/** Resolves to the text of all manifests. Throws if Helm refuses the values. */
export async function rendered(values: string | object, ...more: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await template(values, ...more);
  if (exitCode !== 0) throw new Error(`helm template ended with ${exitCode}: ${stderr}`);
  return stdout;
}

export async function manifests(values: string | object, ...more: readonly string[]): Promise<readonly Manifest[]> {
  return documentsOf(await rendered(values, ...more));
}

/** Reads manifests as Kubernetes does, for which 0440 is an octal number. */
export function documentsOf(text: string): readonly Manifest[] {
  return parseAllDocuments(text, { version: '1.1' })
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

export function ofKind(all: readonly Manifest[], kind: string): readonly Manifest[] {
  return all.filter((manifest) => manifest.kind === kind);
}

/** Returns the only object of a kind whose name ends so. */
export function only(all: readonly Manifest[], kind: string, ending = ''): Manifest {
  const found = ofKind(all, kind).filter(({ metadata }) => metadata.name.endsWith(ending));
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} objects are a ${kind} …${ending}`);
  return found[0];
}

/** Returns the value at a path of keys and indexes; `undefined` if there is none. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const part of path) found = (found as Json | undefined)?.[part as string];
  return found;
}

export interface Container extends Json {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

/** Returns the Pod template's spec; `null` if the object has no Pods. */
export function podSpecOf(manifest: Manifest): Json | null {
  const spec = at(manifest, 'spec', 'template', 'spec');
  return spec === undefined ? null : asObject(spec);
}

export function containersOf(spec: Json): readonly Container[] {
  return [...((spec.initContainers as Container[]) ?? []), ...((spec.containers as Container[]) ?? [])];
}

/** Returns the variables of the gateway's container. */
export function variablesOf(all: readonly Manifest[]): Readonly<Record<string, string>> {
  const spec = podSpecOf(only(all, 'Deployment')) ?? {};
  const gateway = containersOf(spec).find(({ name }) => name === 'switchyard');
  return Object.fromEntries((gateway?.env ?? []).map(({ name, value }) => [name, value]));
}
