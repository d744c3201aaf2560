import type { Credential, CredentialKind } from '../../../domain/access/api-key.ts';
import { checkInput } from '../schema/check-input.ts';
import {
  type CredentialFacts,
  keyFrom,
  keyWords,
  newKeySchema,
  newTokenSchema,
  tokenFrom,
  tokenWords,
} from '../schema/credential.ts';

/** The names of the kinds in messages. */
export const KIND_IN_WORDS: Readonly<Record<CredentialKind, string>> = {
  inference: 'key',
  management: 'management token',
};

const USUAL_NAME = 'Key';

/** Parses the facts of a key or a token with its schema. Throws `AdminError`. */
export function checkedFacts(
  kind: CredentialKind,
  input: unknown,
): CredentialFacts & { readonly id?: string | undefined } {
  if (kind === 'management') {
    const { id, ...token } = checkInput(newTokenSchema, ['accounts', 0, 'management_tokens', 0], input);
    return { id, ...tokenFrom(token, id ?? USUAL_NAME) };
  }
  const { id, ...key } = checkInput(newKeySchema, ['accounts', 0, 'keys', 0], input);
  return { id, ...keyFrom(key, id ?? USUAL_NAME) };
}

/** Returns the credential in the form of its schema. */
export function wordsOf(credential: Credential): Readonly<Record<string, unknown>> {
  return credential.kind === 'management' ? tokenWords(credential) : keyWords(credential);
}
