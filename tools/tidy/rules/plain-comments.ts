import type { CommentFact, FileFacts, Rule, Violation } from '../facts.ts';

const name = 'plain-comments';

/**
 * The most violations that a folder may have today. A number may only go down; the rule reports one that is higher than it has to be.
 * A folder that is not listed may have none.
 */
const ALLOWANCES: Readonly<Record<string, number>> = {};

const DANGLING_WORD = /^(Of|By|As|Whose|What|Beside)\b/;
/** Lets "so many rows that …" pass. */
const VAGUE_NUMBER = /\bso many\b(?!( [\w-]+){1,2} that\b)/i;

/** Enforces what a program can check of docs/writing.md, and lets the violations that are left from before only become fewer. */
export const plainComments: Rule = plainCommentsWithin(ALLOWANCES);

/** Makes the rule for the given allowances by folder, as `folderOf` names it. */
export function plainCommentsWithin(allowances: Readonly<Record<string, number>>): Rule {
  return {
    name,
    check: (files) =>
      [...violationsByFolder(files)].flatMap(([folder, violations]) => {
        const allowed = allowances[folder] ?? 0;
        if (violations.length <= allowed) return [];
        const suffix = allowed === 0 ? '' : ` (${folder} has ${violations.length} of these and may have ${allowed})`;
        return violations.map((violation) => ({ ...violation, message: violation.message + suffix }));
      }),
    unusedExceptions: (files) => {
      const found = violationsByFolder(files);
      return Object.entries(allowances).flatMap(([folder, allowed]) => {
        const count = found.get(folder)?.length ?? 0;
        return count < allowed ? [`${name} allows ${allowed} in ${folder}; lower it to ${count}`] : [];
      });
    },
  };
}

function violationsByFolder(files: readonly FileFacts[]): Map<string, Violation[]> {
  const byFolder = new Map<string, Violation[]>();
  for (const file of files) {
    const violations = violationsOf(file);
    if (violations.length === 0) continue;
    const folder = folderOf(file.path);
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), ...violations]);
  }
  return byFolder;
}

/** Returns the room below `src` (`src/stores`), elsewhere the top folder (`dashboard`). */
function folderOf(path: string): string {
  const [top = '', room] = path.split('/');
  return top === 'src' ? `${top}/${room}` : top;
}

function violationsOf({ path, comments }: FileFacts): Violation[] {
  return comments.flatMap((comment, index) => {
    const messages: string[] = [];
    const word = beginsComment(comment, comments[index - 1]) && DANGLING_WORD.exec(wordsOf(comment))?.[1];
    if (word) messages.push(`begins with "${word}"; write a sentence with a subject, or a verb ("Returns …")`);
    if (VAGUE_NUMBER.test(comment.text))
      messages.push('says "so many"; name the number, or write "at most" or "too many"');
    return messages.map((message) => ({ path, line: comment.line, rule: name, message }));
  });
}

/** Whether a line is the first one of a comment that has words; a run of `//` lines is one comment. */
function beginsComment(comment: CommentFact, previous: CommentFact | undefined): boolean {
  if (comment.text.startsWith('/*')) return true;
  const isNext = previous !== undefined && previous.line === comment.line - 1;
  if (comment.text.startsWith('//')) return !(isNext && previous.text.startsWith('//'));
  return isNext && previous.text.startsWith('/*') && wordsOf(previous) === '';
}

function wordsOf({ text }: CommentFact): string {
  return text.replace(/^\s*(\/\/+|\/\*+|\*(?!\/))?\s*/, '');
}
