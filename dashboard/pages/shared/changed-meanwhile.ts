import { useQueryClient } from '@tanstack/react-query';
import { ApiError, type OperationId } from '../../api/client.ts';

import { useToast } from '../../kit/toast.tsx';
import { credentialsText } from '../../text/credentials.ts';
import { useText } from '../../text/text.tsx';

/**
 * Sends a change of a displayed object. If somebody else has changed it meanwhile (412), refreshes `read` and informs the person; rethrows
 * all other errors.
 */
export function useChangeOfShown(): (change: Promise<unknown>, read: readonly OperationId[]) => Promise<boolean> {
  const text = useText(credentialsText);
  const client = useQueryClient();
  const toast = useToast();
  return async (change, read) => {
    try {
      await change;
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'precondition_failed') throw error;
      await Promise.all(read.map((id) => client.invalidateQueries({ queryKey: [id] })));
      toast.failed(new Error(text.changedMeanwhile));
      return false;
    }
  };
}
