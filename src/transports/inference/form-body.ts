import { Failure } from '../../domain/failure/failure.ts';
import type { FormRules, UploadedForm } from '../../domain/media/uploaded-file.ts';
import { readForm } from './form/read-form.ts';
import type { UploadFolder } from './form/upload-folder.ts';
import type { WholeBody } from './whole-body.ts';

export interface FormBody extends Omit<WholeBody, 'maxBodyBytes'> {
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
