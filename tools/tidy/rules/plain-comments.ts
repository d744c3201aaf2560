import type { CommentFact, FileFacts, Rule, Violation } from '../facts.ts';

const name = 'plain-comments';

const DANGLING_WORD = /^(Of|By|As|Whose|What|Beside)\b/;
/** Lets "so many rows that …" pass. */
const VAGUE_NUMBER = /\bso many\b(?!( [\w-]+){1,2} that\b)/i;

/** Enforces what a program can check of docs/writing.md. */
export const plainComments: Rule = {
  name,
  check: (files) => files.flatMap(violationsOf),
};

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
