import { useQuery } from '@tanstack/react-query';
import { type Answer, ApiError, call } from '../../api/client.ts';

export type Story = Answer<'getRequest'>;

/** Reads a request's log entry, which exists a moment after its answer. */
export function useStory(accountId: string | null | undefined, requestId: string | null) {
  return useQuery<Story, ApiError>({
    queryKey: ['getRequest', requestId, accountId],
    queryFn: ({ signal }) =>
      call('getRequest', { params: { id: requestId ?? '' }, query: { account_id: accountId ?? undefined } }, signal),
    enabled: requestId !== null,
    retry: (count, error) => count < 8 && error instanceof ApiError && error.status === 404,
    retryDelay: (count) => 250 * (count + 1),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
