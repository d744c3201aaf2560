import type { SimulatedBatch } from './file-batch-upstream.ts';
import { ProviderBatches } from './provider-batches.ts';

/** The suffix of deployments that take batches. They take no other requests, and the others take no batches. */
export const BATCH_SUFFIX = '-batch';

/** Azure's files and batches as a strict upstream, as its documentation shows them for the API `v1`. */
export class AzureBatches extends ProviderBatches {
  protected override readonly prefix = '/openai/v1/';
  /** How often a file is still processed when it is asked for. */
  slowFiles = 1;

  override get baseUrl(): string {
    return new URL(super.baseUrl).origin;
  }

  protected override isAllowed({ headers }: Request): boolean {
    return headers.get('api-key') === 'upstream-key' && headers.get('authorization') === null;
  }

  protected override directStatus(model: string): number {
    return model.endsWith(BATCH_SUFFIX) ? 400 : 200;
  }

  protected override fileShown(id: string): object {
    return { id, object: 'file', purpose: 'batch', status: this.slowFiles-- > 0 ? 'pending' : 'processed' };
  }

  protected override problemOfCreation(asked: Readonly<Record<string, unknown>>): string | null {
    return this.slowFiles >= 0 ? 'the file is not processed yet' : super.problemOfCreation(asked);
  }

  protected override problemOfLine(line: Readonly<Record<string, unknown>>): string | null {
    const { model } = line.body as { readonly model: string };
    return model.endsWith(BATCH_SUFFIX) ? super.problemOfLine(line) : 'the deployment is no batch deployment';
  }

  protected override shown(batch: SimulatedBatch): object {
    const { createdAtS, status, outputId, errorId } = batch;
    return {
      ...{ ...super.shown(batch), output_file_id: outputId ?? '', error_file_id: errorId ?? '' },
      created_at: new Date(createdAtS * 1000).toISOString(),
      status: status === 'in_progress' ? 'Validating' : status,
    };
  }
}
