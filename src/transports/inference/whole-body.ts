import { Failure } from '../../domain/failure/failure.ts';
import type { FormRules, UploadedForm } from '../../domain/media/uploaded-file.ts';
import { withModel } from '../../formats/shared/request/named-model.ts';
import { readBody } from './body.ts';
import type { BodyLease } from './body-budget.ts';
import { readForm } from './form/read-form.ts';
import type { UploadFolder } from './form/upload-folder.ts';
import type { ClientRequest, Connections } from './route.ts';
import type { Uploads } from './uploads.ts';

interface WholeBody {
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

interface FormBody extends Omit<WholeBody, 'maxBodyBytes'> {
  readonly uploadFolder: UploadFolder;
}

/** Returns a function that reads the form once the account is known. */
export function formBody({ request, connections, lease, uploads, uploadFolder: folder }: FormBody) {
  return async (accountId: string, rules: FormRules): Promise<UploadedForm | Failure> => {
    lease.belongTo(accountId);
    connections.timeout(request, 0);
    const upload = uploads.begin(accountId);
    try {
      const form = await readForm(request, { accountId, rules, folder, lease, upload });
      const { modelInPath } = request;
      if (form instanceof Failure || modelInPath === undefined) return form;
      // The model in the address wins, as it does over the member of a JSON body.
      return { ...form, fields: new Map([...form.fields, ['model', [modelInPath]]]) };
    } finally {
      uploads.over(upload);
    }
  };
}
