import type { Credential } from '../../domain/access/api-key.ts';
import type { Channel } from '../../domain/catalog/channel.ts';

/** Returns the error for a credential whose account does not exist. */
export function credentialWithoutAccount(credential: Credential): Error {
  return new Error(
    `The ${credential.kind} credential "${credential.id}" belongs to the account "${credential.accountId}", which does not exist: create the account first.`,
  );
}

/** Returns the error for a PRIVATE channel whose owner does not exist. */
export function channelWithoutOwner(channel: Channel): Error {
  return new Error(
    `The channel "${channel.id}" is private to the account "${channel.owner}", which does not exist: create the account first.`,
  );
}

/** Throws if a change is asynchronous: whatever follows its first `await` would be outside the transaction. */
export function refusePromise(result: unknown): void {
  if (result instanceof Promise)
    throw new Error('The change of a directory write must be synchronous; it returned a promise.');
}
