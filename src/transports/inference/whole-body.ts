import { Failure } from '../../domain/failure/failure.ts';
import { withModel } from '../../formats/shared/request/named-model.ts';
import { readBody } from './body.ts';
import type { BodyLease } from './body-budget.ts';
import type { ClientRequest, Connections } from './route.ts';
import type { Uploads } from './uploads.ts';

export interface WholeBody {
  readonly request: ClientRequest;
  readonly connections: Connections;
  readonly lease: BodyLease;
  readonly uploads: Uploads;
  readonly maxBodyBytes: number;
  /** Advice for the sender of a larger body, in place of the general one. */
  readonly tooLargeHint?: string;
}

/** Returns a function that reads a JSON body once the account is known, within the bounds for all bodies. */
export function wholeBody({ request, connections, lease, uploads, maxBodyBytes, tooLargeHint }: WholeBody) {
  return async (accountId: string): Promise<Uint8Array<ArrayBuffer> | Failure> => {
    lease.belongTo(accountId);
    connections.timeout(request, 0);
    const upload = uploads.begin(accountId);
    try {
      const body = await readBody(request, { limitBytes: maxBodyBytes, lease, upload, tooLargeHint });
      if (body instanceof Failure) return body;
      const { modelInPath } = request;
      return new Uint8Array(modelInPath === undefined ? body : await withModel(body, modelInPath));
    } finally {
      uploads.over(upload);
    }
  };
}
