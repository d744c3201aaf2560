import type { ActiveAlert } from '../../../api/schema.ts';
import type { Formats } from '../../../kit/format.tsx';
import type { alertSentences } from '../../../text/alert-sentences.ts';

type Words = (typeof alertSentences)['en'];

/** The facts of an alert or an alert event. */
export interface Said extends Pick<ActiveAlert, 'value' | 'threshold' | 'message'> {
  readonly rule: { readonly type: string } | null;
  /** The sentence has the name; the id if there is none. */
  readonly subject: (Pick<ActiveAlert['subject'], 'type' | 'id'> & { readonly name?: string | null }) | null;
  /** Set for an event. */
  readonly type?: string;
}

/**
 * Returns an alert's sentence in the reader's language, with amounts in the dashboard's format. Falls back to the gateway's English message
 * for details that only it has (why a webhook was disabled).
 */
export function alertSentence(said: Said, text: Words, format: Pick<Formats, 'money' | 'percent'>): string {
  if (said.type === 'alert.test') return text.test;
  const sentence = said.rule === null ? null : sentenceOf(said, said.rule.type, text, format);
  if (sentence === null) return said.message ?? '';
  if (said.type === 'alert.repeated') return text.still(sentence);
  return said.type === 'alert.resolved' ? text.resolved(sentence) : sentence;
}

function sentenceOf(
  { subject, value, threshold }: Said,
  rule: string,
  text: Words,
  format: Pick<Formats, 'money' | 'percent'>,
): string | null {
  if (subject === null || !isNamed(subject.type, text.subjects)) return null;
  const id = subject.name || subject.id;
  const of = text.subjects[subject.type](id);
  if (value === null || threshold === null) return text.gone(of);
  const [share, limit] = [format.percent(Number(value) / 100), format.percent(Number(threshold) / 100)];
  switch (rule) {
    case 'balance_below':
      return text.balance(id, format.money(String(value)), format.money(String(threshold)));
    case 'budget_spent':
      return subject.type === 'key' ? text.keyBudget(id, share, limit) : text.accountBudget(id, share, limit);
    case 'key_limit_spent':
      return text.keyLimit(id, share, limit);
    case 'error_rate':
      return text.errors(of, share, limit);
    case 'channel_state':
      return isNamed(String(value), text.channel) ? text.channel[String(value) as keyof Words['channel']](id) : null;
    default:
      return null;
  }
}

function isNamed<Names extends object>(name: string, names: Names): name is keyof Names & string {
  return Object.hasOwn(names, name);
}
