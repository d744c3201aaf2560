import {
  type InfiniteData,
  QueryCache,
  QueryClient,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { type Answer, ApiError, call, callTagged, type Input, type OperationId, type Tagged } from './client.ts';
import { maxAgeOf } from './max-age.ts';
import { isOutage, isTemporary, recovery } from './recovery.ts';

/** Returns whether an immediate retry may help: not after a refusal by the gateway. */
function isWorthAnotherTry(count: number, error: Error): boolean {
  return count < 2 && isOutage(error);
}

export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    // The session has ended, so the query of the signed-in person is refreshed.
    queryCache: new QueryCache({
      onError: (error, { queryKey }) => {
        if (error instanceof ApiError && error.isSignedOut && queryKey[0] !== 'getMe')
          void client.invalidateQueries({ queryKey: ['getMe'] });
        if (isTemporary(error)) recover();
      },
    }),
    defaultOptions: { queries: { retry: isWorthAnotherTry, staleTime: 5_000 }, mutations: { retry: false } },
  });
  const recover = recovery(client);
  return client;
}

export interface ReadOptions {
  /** The polling interval in milliseconds, while the page is visible. */
  readonly every?: number | undefined;
  /** `false` disables the read. */
  readonly enabled?: boolean | undefined;
  /** Whether to show the answer for the previous input until the new one arrives. */
  readonly keepPrevious?: boolean | undefined;
  /** Whether to read only once; the answer is dropped when the page is left. */
  readonly isStill?: boolean | undefined;
}

const STILL = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
};

function queryOptions({ every, enabled, keepPrevious, isStill }: ReadOptions) {
  return {
    ...(every !== undefined && { refetchInterval: every }),
    ...(enabled !== undefined && { enabled }),
    ...(isStill === true && STILL),
    ...(keepPrevious === true && { placeholderData: <T>(before: T | undefined) => before }),
  };
}

/** Reads an operation's answer, cached and shared by input. */
export function useApi<Id extends OperationId>(
  id: Id,
  input: Input<Id> = {},
  options: ReadOptions = {},
): UseQueryResult<Answer<Id>, ApiError> {
  const { every } = options;
  const wasRead = useRef(false);
  return useQuery<Answer<Id>, ApiError>({
    queryKey: [id, input],
    queryFn: async ({ signal, client, queryKey }) => {
      // The first read, and one after a change, must be current.
      const isExact = !wasRead.current || client.getQueryState(queryKey)?.isInvalidated === true;
      const age = every === undefined || isExact ? undefined : maxAgeOf(every);
      const answer = await call(id, { ...input, maxAgeSeconds: age }, signal);
      wasRead.current = true;
      return answer;
    },
    ...queryOptions(options),
  });
}

/** Reads one object with its `ETag`, for a form that changes it. */
export function useTagged<Id extends OperationId>(
  id: Id,
  input: Input<Id> = {},
  options: ReadOptions = {},
): UseQueryResult<Tagged<Answer<Id>>, ApiError> {
  return useQuery<Tagged<Answer<Id>>, ApiError>({
    queryKey: [id, input, 'tagged'],
    queryFn: ({ signal }) => callTagged(id, input, signal),
    ...queryOptions(options),
  });
}

interface Page {
  readonly data: readonly unknown[];
  readonly has_more: boolean;
  readonly next: string | null;
}

/** The operations that return pages. */
export type ListId = { [Id in OperationId]: Answer<Id> extends Page ? Id : never }[OperationId];

export type Item<Id extends ListId> = Answer<Id> extends { readonly data: readonly (infer One)[] } ? One : never;

/** A list for a table: all pages that have been read so far. */
export interface Listed<One> {
  readonly items: readonly One[];
  readonly isLoading: boolean;
  readonly error: ApiError | null;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  loadMore(): void;
  refetch(): void;
  /** Reads again from the first page. */
  restart(): void;
}

/** Reads a list page by page; `limit` is the size of a page. */
export function useList<Id extends ListId>(
  id: Id,
  input: Input<Id> = {},
  { limit = 100, ...options }: ReadOptions & { readonly limit?: number } = {},
): Listed<Item<Id>> {
  const client = useQueryClient();
  const queryKey = [id, input, 'pages', limit];
  const result: UseInfiniteQueryResult<InfiniteData<Page>, ApiError> = useInfiniteQuery<
    Page,
    ApiError,
    InfiniteData<Page>,
    readonly unknown[],
    string | null
  >({
    queryKey,
    queryFn: async ({ signal, pageParam }) => {
      const query = { ...input.query, limit, ...(pageParam !== null && { after: pageParam }) };
      return (await call(id, { ...input, query } as Input<Id>, signal)) as Page;
    },
    initialPageParam: null,
    getNextPageParam: (page) => (page.has_more ? page.next : null),
    ...queryOptions(options),
  });
  const { data } = result;
  const items = useMemo(() => (data?.pages ?? []).flatMap((page) => page.data) as Item<Id>[], [data]);
  return {
    items,
    isLoading: result.isPending && result.fetchStatus !== 'idle',
    error: result.error,
    hasMore: result.hasNextPage,
    isLoadingMore: result.isFetchingNextPage,
    loadMore: () => {
      if (!result.isFetching) void result.fetchNextPage();
    },
    refetch: () => void result.refetch(),
    restart: () => void client.resetQueries({ queryKey, exact: true }),
  };
}

const LARGEST_PAGE = 1_000;

/** Reads a whole list, for pages that sort or search it themselves. */
export function useWhole<Id extends ListId>(
  id: Id,
  input: Input<Id> = {},
  options: ReadOptions = {},
): UseQueryResult<readonly Item<Id>[], ApiError> {
  return useQuery<readonly Item<Id>[], ApiError>({
    queryKey: [id, input, 'whole'],
    queryFn: async ({ signal }) => {
      const items: Item<Id>[] = [];
      for (let after: string | null | undefined; after !== null; ) {
        const query = { ...input.query, limit: LARGEST_PAGE, ...(after !== undefined && { after }) };
        const page = (await call(id, { ...input, query } as Input<Id>, signal)) as Page;
        items.push(...(page.data as Item<Id>[]));
        after = page.next;
      }
      return items;
    },
    ...queryOptions(options),
  });
}

export interface ChangeOptions<Id extends OperationId> {
  /** The operations to refresh, because this change may alter their answers; those of the changed object must be listed, too. */
  readonly touches?: readonly OperationId[];
  readonly onDone?: (answer: Answer<Id>, input: Input<Id>) => void;
}

/** Returns a mutation for an operation that changes something. */
export function useChange<Id extends OperationId>(
  id: Id,
  { touches = [], onDone }: ChangeOptions<Id> = {},
): UseMutationResult<Answer<Id>, ApiError, Input<Id>> {
  const client = useQueryClient();
  return useMutation<Answer<Id>, ApiError, Input<Id>>({
    mutationFn: (input) => call(id, input),
    onSuccess: async (answer, input) => {
      onDone?.(answer, input);
      await Promise.all(touches.map((touched) => client.invalidateQueries({ queryKey: [touched] })));
    },
  });
}
