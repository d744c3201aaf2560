/** A commit as it appears in the changelog. */
export interface Commit {
  /** Abbreviated. */
  readonly hash: string;
  readonly type: string;
  readonly scope: string | null;
  readonly subject: string;
  /** The text of its `BREAKING CHANGE` footer, or its subject if only `!` marks it; `null` for other commits. */
  readonly breaking: string | null;
}

/** The format for `git log` that `parseLog` reads: records end with a NUL character, which no message can contain. */
export const LOG_FORMAT = '%h%n%B%x00';

const HEADER = /^(?<type>[a-z]+)(?:\((?<scope>[^)]+)\))?(?<mark>!)?: (?<subject>.+)$/;
const FOOTER = /^BREAKING[ -]CHANGE: (?<text>[\s\S]+?)(?=\n\n|\n[\w-]+: |$(?![\s\S]))/m;

/** Reads conventional commits (https://www.conventionalcommits.org). Others, such as merges, are left out. */
export function parseLog(log: string): readonly Commit[] {
  return log.split('\0').flatMap((record) => {
    const [hash = '', header = '', ...body] = record.trim().split('\n');
    const groups = HEADER.exec(header)?.groups;
    if (groups === undefined) return [];
    const { type = '', scope = null, mark, subject = '' } = groups as Record<string, string | undefined>;
    const footer = FOOTER.exec(body.join('\n'))
      ?.groups?.text?.replace(/\s*\n\s*/g, ' ')
      .trim();
    const breaking = footer ?? (mark === undefined ? null : subject);
    return [{ hash, type, scope: scope ?? null, subject, breaking }];
  });
}

/** The types that users notice, with their headings; refactorings, tests and the like are not listed. */
const HEADINGS: Readonly<Record<string, string>> = { feat: 'Features', fix: 'Fixes', perf: 'Performance' };

/** Renders lists of commits, breaking changes first; an empty text if none of them concerns users. */
export function renderCommits(commits: readonly Commit[]): string {
  const breaking = commits.filter((commit) => commit.breaking !== null);
  const sections = [
    section('Breaking changes', breaking, ({ breaking: text, subject }) => text ?? subject),
    ...Object.entries(HEADINGS).map(([type, heading]) =>
      section(
        heading,
        commits.filter((commit) => commit.type === type),
        ({ subject }) => subject,
      ),
    ),
  ];
  return sections.filter((one) => one !== '').join('\n\n');
}

function section(heading: string, commits: readonly Commit[], textOf: (commit: Commit) => string): string {
  if (commits.length === 0) return '';
  const lines = commits.map((commit) => {
    const scope = commit.scope === null ? '' : `**${commit.scope}:** `;
    return `- ${scope}${textOf(commit)} (${commit.hash})`;
  });
  return [`#### ${heading}`, '', ...lines].join('\n');
}

const UNRELEASED = '## Unreleased';

/**
 * Returns the changelog with a section for the version: what was written under *Unreleased*, which becomes empty, and after it the commits.
 * Throws if there is no *Unreleased* section, or if the version has a section already.
 */
export function withRelease(changelog: string, version: string, day: string, commits: string): string {
  if (hasRelease(changelog, version)) throw new Error(`CHANGELOG.md already has a section for ${version}`);
  const begin = changelog.indexOf(`${UNRELEASED}\n`);
  if (begin === -1) throw new Error(`CHANGELOG.md has no section "${UNRELEASED}"`);
  const end = changelog.indexOf('\n## ', begin);
  const written = changelog.slice(begin + UNRELEASED.length, end === -1 ? undefined : end).trim();
  const older = end === -1 ? '' : changelog.slice(end + 1);
  const parts = [
    changelog.slice(0, begin).trimEnd(),
    UNRELEASED,
    `## ${version} – ${day}`,
    ...(written === '' ? [] : [written]),
    ...(commits === '' ? [] : ['### Commits', commits]),
    ...(older === '' ? [] : [older.trimEnd()]),
  ];
  return `${parts.join('\n\n')}\n`;
}

export function hasRelease(changelog: string, version: string): boolean {
  return changelog.split('\n').some((line) => line.startsWith(`## ${version} `));
}

/** Returns the section of a version, without its heading, for the release's page; throws if there is none. */
export function notesOf(changelog: string, version: string): string {
  const lines = changelog.split('\n');
  const begin = lines.findIndex((line) => line.startsWith(`## ${version} `));
  if (begin === -1) throw new Error(`CHANGELOG.md has no section for ${version}`);
  const length = lines.slice(begin + 1).findIndex((line) => line.startsWith('## '));
  const end = length === -1 ? undefined : begin + 1 + length;
  return lines
    .slice(begin + 1, end)
    .join('\n')
    .trim();
}
