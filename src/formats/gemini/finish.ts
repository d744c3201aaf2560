import type { Finish, FinishReason, TokenLogprob } from '../../domain/exchange/response.ts';
import { entryOf, isRecord } from '../shared/record.ts';
import { enumName, memberOf, numberOf, type WireObject } from './wire.ts';

/** FinishReason in the order of its numbers (google/ai/generativelanguage/v1beta/generative_service.proto). */
const NUMBERED = [
  'FINISH_REASON_UNSPECIFIED',
  'STOP',
  'MAX_TOKENS',
  'SAFETY',
  'RECITATION',
  'OTHER',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'MALFORMED_FUNCTION_CALL',
  'IMAGE_SAFETY',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_OTHER',
  'NO_IMAGE',
  'IMAGE_RECITATION',
];

const UNIFIED: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
  IMAGE_SAFETY: 'content-filter',
  IMAGE_PROHIBITED_CONTENT: 'content-filter',
  IMAGE_RECITATION: 'content-filter',
  // Vertex sends this when Model Armor stopped the answer.
  MODEL_ARMOR: 'content-filter',
};

/** The finish reasons of the published document, so that another provider's reason is never sent as one of Google's. */
const OWN_WORDS: ReadonlySet<string> = new Set([...NUMBERED, 'MODEL_ARMOR', 'MISSING_THOUGHT_SIGNATURE']);

const WORD_OF: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  // Gemini sends STOP for a turn that ends in function calls.
  'tool-calls': 'STOP',
  length: 'MAX_TOKENS',
  'content-filter': 'SAFETY',
  pause: 'OTHER',
  other: 'OTHER',
};

/** The name of a candidate's `finishReason`; `null` while the candidate continues. */
export function finishReasonOf(candidate: WireObject): string | null {
  const name = enumName(memberOf(candidate, 'finishReason'), NUMBERED);
  return name === 'FINISH_REASON_UNSPECIFIED' ? null : name;
}

export function decodeFinish(raw: string | null, hasCalls: boolean): Finish {
  const unified = raw === null ? 'stop' : (entryOf(UNIFIED, raw) ?? 'other');
  return { unified: unified === 'stop' && hasCalls ? 'tool-calls' : unified, raw };
}

export function encodeFinish({ unified, raw }: Finish): string {
  return raw !== null && OWN_WORDS.has(raw) ? raw : WORD_OF[unified];
}

/** BlockedReason in the order of its numbers. */
const BLOCK_REASONS = [
  'BLOCK_REASON_UNSPECIFIED',
  'SAFETY',
  'OTHER',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'IMAGE_SAFETY',
];

/** Why the prompt itself was refused, with the API's message; `null` if it was not. */
export function promptBlock(answer: WireObject): { readonly reason: string; readonly message: string } | null {
  const feedback = memberOf(answer, 'promptFeedback');
  if (!isRecord(feedback)) return null;
  const reason = enumName(memberOf(feedback, 'blockReason'), BLOCK_REASONS);
  if (reason === null || reason === 'BLOCK_REASON_UNSPECIFIED') return null;
  const said = memberOf(feedback, 'blockReasonMessage');
  return { reason, message: typeof said === 'string' && said !== '' ? said : `The prompt was blocked: ${reason}.` };
}

/** `logprobsResult`: the chosen token of each step, and the most likely ones. */
export function decodeLogprobs(candidate: WireObject): readonly TokenLogprob[] | undefined {
  const result = memberOf(candidate, 'logprobsResult');
  if (!isRecord(result)) return undefined;
  const chosen = memberOf(result, 'chosenCandidates');
  const top = memberOf(result, 'topCandidates');
  if (!Array.isArray(chosen) || chosen.length === 0) return undefined;
  return chosen.map((entry, index) => {
    const step = Array.isArray(top) && isRecord(top[index]) ? top[index].candidates : null;
    return { ...tokenOf(entry), top: Array.isArray(step) ? step.map(tokenOf) : [] };
  });
}

function tokenOf(entry: unknown): Omit<TokenLogprob, 'top'> {
  const record = isRecord(entry) ? entry : {};
  const token = typeof record.token === 'string' ? record.token : '';
  return { token, logprob: numberOf(memberOf(record, 'logProbability')) ?? 0, bytes: null };
}

export function encodeLogprobs(logprobs: readonly TokenLogprob[]): WireObject {
  const encode = ({ token, logprob }: { readonly token: string; readonly logprob: number }) => ({
    token,
    logProbability: logprob,
  });
  return {
    chosenCandidates: logprobs.map(encode),
    topCandidates: logprobs.map(({ top }) => ({ candidates: top.map(encode) })),
  };
}
