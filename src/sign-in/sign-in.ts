import type { SignInHandler } from './handler.ts';
import { personOf } from './sessions.ts';
import type { SignedIn, SignInFacts, SignInOptions } from './shape.ts';
import { UserActivity } from './user-activity.ts';

export interface SignIn {
  /** Answers every request whose path starts with `SIGN_IN_PATH`. */
  handle(request: Request, facts: SignInFacts): Promise<Response>;
  /** Resolves to the person who sends a request with these headers; `null` without a valid session. */
  personOf(headers: Headers, publicOrigin: string): Promise<SignedIn | null>;
  /** The issuers at which people may sign in. */
  readonly providers: readonly { readonly id: string; readonly name: string }[];
}

/** Creates sign-in. The library takes 300 ms and 50 MB, so it is loaded with the first request that needs it. */
export function createSignIn(options: SignInOptions): SignIn {
  let loading: Promise<SignInHandler> | null = null;
  const load = () => {
    loading ??= loadHandler(options);
    return loading;
  };
  const activity = new UserActivity(options);
  return {
    handle: async (request, facts) => (await load()).handle(request, facts),
    personOf: async (headers, publicOrigin) => {
      const person = await personOf(options, headers, publicOrigin);
      if (person !== null) activity.note(person.user.id);
      return person;
    },
    providers: options.settings.oidc.map(({ id, name }) => ({ id, name })),
  };
}

/** Loads a polyfill first, which a library of the passkeys requires at load time and does not import itself in the executable. */
async function loadHandler(options: SignInOptions): Promise<SignInHandler> {
  await import('reflect-metadata');
  const { SignInHandler } = await import('./handler.ts');
  return new SignInHandler(options);
}
