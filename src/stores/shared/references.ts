import type { Credential } from '../../domain/access/api-key.ts';
import type { Channel } from '../../domain/catalog/channel.ts';

/** The credential's account has not been put. */
export function credentialWithoutAccount(credential: Credential): Error {
  return new Error(
    `The ${credential.kind} credential "${credential.id}" belongs to the account "${credential.accountId}", which does not exist: put the account first.`,
  );
}

/** The private channel's owner has not been put. */
export function channelWithoutOwner(channel: Channel): Error {
  return new Error(
    `The channel "${channel.id}" is private to the account "${channel.owner}", which does not exist: put the account first.`,
  );
}

/** A transaction cannot wait: what an asynchronous change did after its first `await` would be outside of it. */
export function refusePromise(result: unknown): void {
  if (result instanceof Promise)
    throw new Error('The change of a directory write must be synchronous; it returned a promise.');
}
