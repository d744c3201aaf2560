/* The parts of a rendered compose file that the tests use, in its long syntax. */

export interface Model {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

export interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly user?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly { readonly source: string; readonly target?: string }[];
  readonly volumes?: readonly Volume[];
  readonly tmpfs?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly stop_signal?: NodeJS.Signals;
  readonly networks?: Readonly<Record<string, { readonly aliases?: readonly string[] } | null>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
}

export interface Volume {
  readonly type: 'bind' | 'volume';
  readonly source: string;
  readonly target: string;
  readonly read_only?: boolean;
}

/** Returns the services in an order in which each comes after those that it depends on. */
export function inOrder({ services }: Model): readonly string[] {
  const ordered = new Set<string>();
  const visit = (name: string) => {
    if (ordered.has(name)) return;
    for (const dependency of Object.keys(services[name]?.depends_on ?? {})) visit(dependency);
    ordered.add(name);
  };
  for (const name of Object.keys(services)) visit(name);
  return [...ordered];
}
