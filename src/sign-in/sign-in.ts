import type { SignInHandler } from './handler.ts';
import { personOf } from './sessions.ts';
import type { SignedIn, SignInFacts, SignInOptions } from './shape.ts';

export interface SignIn {
  /** Answers every request whose path begins with `SIGN_IN_PATH`. */
  handle(request: Request, facts: SignInFacts): Promise<Response>;
  /** Who sends a request with these headers; `null` without a session that is in force. */
  personOf(headers: Headers, publicOrigin: string): Promise<SignedIn | null>;
  /** The issuers at which people may sign in. */
  readonly providers: readonly { readonly id: string; readonly name: string }[];
}

/** The library takes 300 ms and 50 MB, so it is loaded with the first request that signs in or changes what that takes. */
export function createSignIn(options: SignInOptions): SignIn {
  let loading: Promise<SignInHandler> | null = null;
  const load = () => {
    loading ??= loadHandler(options);
    return loading;
  };
  return {
    handle: async (request, facts) => (await load()).handle(request, facts),
    personOf: (headers, publicOrigin) => personOf(options, headers, publicOrigin),
    providers: options.settings.oidc.map(({ id, name }) => ({ id, name })),
  };
}

/** A library of the passkeys looks for this polyfill as it is loaded, and in the executable does not load it itself. */
async function loadHandler(options: SignInOptions): Promise<SignInHandler> {
  await import('reflect-metadata');
  const { SignInHandler } = await import('./handler.ts');
  return new SignInHandler(options);
}
