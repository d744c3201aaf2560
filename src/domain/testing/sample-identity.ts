import type { CallIdentity } from '../trace/call-identity.ts';

/** A request whose client has sent no id and no trace. */
export function sampleIdentity(overrides: Partial<CallIdentity> = {}): CallIdentity {
  return { requestId: 'req_1', clientRequestId: null, clientTrace: null, ...overrides };
}
