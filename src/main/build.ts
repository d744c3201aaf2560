import packageJson from '../../package.json' with { type: 'json' };

/** Facts about a build (tools/build), which the bundler writes into it. */
export interface Build {
  /** The commit, abbreviated; `null` if the sources were not a git checkout. */
  readonly commit: string | null;
  /** ISO 8601, in UTC. */
  readonly date: string;
}

declare const SWITCHYARD_BUILD: Build | undefined;

/** `null` in the source tree. */
export const BUILD: Build | null = typeof SWITCHYARD_BUILD === 'undefined' ? null : SWITCHYARD_BUILD;

export const VERSION: string = packageJson.version;

/** The version of Bun that this version of Switchyard is tested with. */
export const PINNED_RUNTIME: string = packageJson.dependencies.bun;

/** Returns the line of `switchyard --version`: the version, and for a build its commit and date. */
export function versionLine(version: string, build: Build | null): string {
  if (build === null) return version;
  const commit = build.commit === null ? '' : `commit ${build.commit}, `;
  return `${version} (${commit}built ${build.date})`;
}
