import type { Credential } from '../../domain/access/api-key.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { RequestLimits } from '../ports/admission.ts';
import type { Clock } from '../ports/clock.ts';
import { authenticate } from './authenticate.ts';
import type { Directory, Principal } from './directory.ts';

export interface AdmittedCallPorts {
  readonly directory: () => Directory;
  readonly limits: RequestLimits;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** The key is good and in use. */
  readonly keyUsed: (credential: Credential) => void;
}

export interface AdmittedAnswer<Result> {
  readonly result: Result | Failure;
  /** What the limits say. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A call that asks no model: every one of an account counts against its limits, whatever it asks for (contract, Limits). */
export async function admittedCall<Result>(
  { directory, limits, clock, keyUsed }: AdmittedCallPorts,
  secret: string | null,
  use: (principal: Principal) => Result | Failure | Promise<Result | Failure>,
): Promise<AdmittedAnswer<Result>> {
  const principal = authenticate(directory(), secret, clock.nowMs());
  if (principal instanceof Failure) return { result: principal, headers: {} };
  keyUsed(principal.credential);
  const admission = await limits.admit(principal);
  try {
    return { result: admission.refusal ?? (await use(principal)), headers: admission.headers ?? {} };
  } finally {
    admission.end(null);
  }
}
