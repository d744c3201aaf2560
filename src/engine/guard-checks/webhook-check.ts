import type { Guard, WebhookRule } from '../../domain/guards/guard.ts';
import { GUARD_ACTIONS } from '../../domain/verdicts/guard-verdict.ts';
import { isRecord } from '../../formats/shared/json/record.ts';
import { webhookHeaders } from '../alerts/sign-webhook.ts';
import {
  type CheckResult,
  type CheckVerdict,
  type GuardCheck,
  type GuardedCallFacts,
  type GuardedContent,
  MOST_IMAGES,
} from '../guards/guard-check.ts';
import type { Clock } from '../ports/clock.ts';
import type { WebhookSender } from '../ports/webhook-sender.ts';
import type { WebhookGates } from './webhook-gate.ts';

/** The most characters that a webhook gets; longer content, and more images, are not judged. */
const MOST_CHARACTERS = 1_000_000;
const MOST_ANSWER_BYTES = 64 * 1024;
const MOST_TEXTS = 200;
const LONGEST_TEXT = 1_000;
const RULE_NAME = /^[a-z][a-z0-9_-]{0,39}$/;

export interface WebhookCheckPorts {
  readonly sender: Pick<WebhookSender, 'send'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly newId: (prefix: string) => string;
  readonly gates: WebhookGates;
}

/** Asks a webhook of the operator, signed as those of alerts. Its answer is `{"action": "allow" | "flag" | "refuse" | "mask", …}` (docs/guards.md). */
export class WebhookCheck implements GuardCheck {
  readonly name = 'webhook';

  constructor(
    private readonly ports: WebhookCheckPorts,
    private readonly guard: Pick<Guard, 'id'>,
    private readonly rule: WebhookRule,
  ) {}

  get onFailure() {
    return this.rule.onFailure;
  }

  async check(
    { stage, texts, images }: GuardedContent,
    call: GuardedCallFacts,
    signal: AbortSignal,
  ): Promise<CheckResult> {
    const { ports, rule } = this;
    let characters = 0;
    for (const text of [...texts, ...images]) characters += text.length;
    if (characters > MOST_CHARACTERS || images.length > MOST_IMAGES) return { problem: 'too_long' };
    const id = ports.newId('grd_');
    const { requestId: request_id, accountId: account, keyId: key } = call;
    const asked = { type: 'guard.check', guard: this.guard.id, stage, request_id, account, key, texts, images };
    const body = JSON.stringify(asked);
    const headers = webhookHeaders({ secret: rule.secret, previousSecret: null }, { id, body }, ports.clock.nowMs());
    const within = AbortSignal.timeout(rule.timeoutMs);
    const request = {
      ...{ url: rule.url, headers, body, answerBytes: MOST_ANSWER_BYTES },
      signal: AbortSignal.any([signal, within]),
    };
    const gated = { accountId: account, signal, within };
    const answer = await ports.gates.of(rule).ask(gated, () => ports.sender.send(request));
    if ('problem' in answer) {
      return { problem: answer.problem === 'stopped' && within.aborted ? 'timeout' : answer.problem };
    }
    if (answer.status < 200 || answer.status >= 300) return { problem: `http_${answer.status}` };
    const verdict = answer.body == null ? undefined : verdictIn(answer.body);
    if (verdict === undefined) return { problem: 'invalid_answer' };
    return { verdicts: verdict === null ? [] : [verdict] };
  }
}

/** Returns the verdict of an answer, `null` if it allows the content, `undefined` if it is malformed. */
function verdictIn(body: string): CheckVerdict | null | undefined {
  const answer = parsed(body);
  if (!isRecord(answer)) return undefined;
  const { action, rule = 'webhook', texts = [] } = answer;
  if (action === 'allow') return null;
  const known = GUARD_ACTIONS.find((one) => one === action);
  if (known === undefined || typeof rule !== 'string' || !RULE_NAME.test(rule)) return undefined;
  if (!Array.isArray(texts) || texts.length > MOST_TEXTS || (known === 'mask' && texts.length === 0)) return undefined;
  const given = texts.flatMap((text) => (typeof text === 'string' && isMaskable(text) ? [text] : []));
  return given.length === texts.length ? { rule, action: known, texts: given } : undefined;
}

function isMaskable(text: string): boolean {
  return text.trim() !== '' && text.length <= LONGEST_TEXT;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
