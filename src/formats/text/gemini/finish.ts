import type { Finish, FinishReason, TokenLogprob } from '../../../domain/exchange/response.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import {
  failedGeneration,
  isGoogleReason,
  meaningOfReason,
  NUMBERED_REASONS,
} from '../../shared/failure/google-finish.ts';
import { isRecord } from '../../shared/json/record.ts';
import { enumName, memberOf, numberOf, type WireObject } from './decoding.ts';

const WORD_OF: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  // Gemini sends STOP for a turn that ends in function calls.
  'tool-calls': 'STOP',
  length: 'MAX_TOKENS',
  'content-filter': 'SAFETY',
  pause: 'OTHER',
  other: 'OTHER',
};

/** Returns the name of a candidate's `finishReason`; `null` while the candidate continues. */
export function finishReasonOf(candidate: WireObject): string | null {
  const name = enumName(memberOf(candidate, 'finishReason'), NUMBERED_REASONS);
  return name === 'FINISH_REASON_UNSPECIFIED' ? null : name;
}

/** How one candidate ended. */
export interface CandidateEnd {
  readonly raw: string | null;
  readonly message: unknown;
  /** Whether the candidate has any content. */
  readonly hasContent: boolean;
}

/**
 * Returns a failure if no candidate is an answer. An undocumented reason is a failure only without content: it may be a new name for a
 * regular end. One answer among several candidates is enough, because the client asked for all of them at once.
 */
export function failedCandidates(ends: readonly CandidateEnd[]): Failure | null {
  const [first] = ends;
  return first === undefined || ends.some((end) => !isFailed(end))
    ? null
    : failedGeneration(first.raw ?? '', first.message);
}

/** Returns whether a candidate with this reason is an answer, complete or not; `false` while it continues. */
export function isAnswer(raw: string | null): boolean {
  const meaning = raw === null ? undefined : meaningOfReason(raw);
  return meaning !== undefined && meaning !== 'failed';
}

function isFailed({ raw, hasContent }: CandidateEnd): boolean {
  if (raw === null) return false;
  const meaning = meaningOfReason(raw);
  return meaning === 'failed' || (meaning === undefined && !hasContent);
}

/** Returns the finish reason; a failed candidate next to a successful one is reported as cut short. */
export function decodeFinish(raw: string | null, hasCalls: boolean): Finish {
  const meaning = raw === null ? 'stop' : (meaningOfReason(raw) ?? 'other');
  const unified = meaning === 'failed' ? 'length' : meaning;
  return { unified: unified === 'stop' && hasCalls ? 'tool-calls' : unified, raw };
}

export function encodeFinish({ unified, raw }: Finish): string {
  return raw !== null && isGoogleReason(raw) ? raw : WORD_OF[unified];
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

export interface PromptBlock {
  readonly reason: string;
  readonly message: string;
}

/** Returns why the prompt itself was refused, with the API's message; `null` if it was not. */
export function promptBlock(answer: WireObject): PromptBlock | null {
  const feedback = memberOf(answer, 'promptFeedback');
  if (!isRecord(feedback)) return null;
  const reason = enumName(memberOf(feedback, 'blockReason'), BLOCK_REASONS);
  if (reason === null || reason === 'BLOCK_REASON_UNSPECIFIED') return null;
  const said = memberOf(feedback, 'blockReasonMessage');
  return { reason, message: typeof said === 'string' && said !== '' ? said : `The prompt was blocked: ${reason}.` };
}

/** Decodes `logprobsResult`: the chosen token of each step, and the most likely ones. */
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
