import { call } from '../../api/client.ts';

/** Returns whether the browser can use passkeys here, which requires a secure origin. */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;
}

/** Signs in. Rejects if the person does not use a passkey. */
export async function signInWithPasskey(how: CredentialRequestOptions): Promise<void> {
  const options: unknown = await call('authPasskeyGenerateAuthenticateOptions', {}, how.signal ?? undefined);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  const response = await jsonOf(navigator.credentials.get({ ...how, publicKey }));
  await call('authPasskeyVerifyAuthentication', { body: { response } });
}

/** Creates a passkey; the result is for the gateway. */
export async function makePasskey(): Promise<Record<string, unknown>> {
  const options: unknown = await call('authPasskeyGenerateRegisterOptions');
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  return await jsonOf(navigator.credentials.create({ publicKey }));
}

async function jsonOf(asked: Promise<Credential | null>): Promise<Record<string, unknown>> {
  const credential = await asked;
  if (!(credential instanceof PublicKeyCredential)) throw new Error('the browser returned no passkey');
  return { ...credential.toJSON() };
}
