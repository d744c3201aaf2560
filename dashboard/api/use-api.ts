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

/** Asked again at once only where that may help: not for what the gateway has refused. */
function isWorthAnotherTry(count: number, error: Error): boolean {
  return count < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 502);
}

export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    // The session has ended: whoever asks who has signed in is told so.
    queryCache: new QueryCache({
      onError: (error, { queryKey }) => {
        if (error instanceof ApiError && error.isSignedOut && queryKey[0] !== 'getMe')
          void client.invalidateQueries({ queryKey: ['getMe'] });
      },
    }),
    defaultOptions: { queries: { retry: isWorthAnotherTry, staleTime: 5_000 }, mutations: { retry: false } },
  });
  return client;
}

export interface ReadOptions {
  /** Milliseconds; read again and again while the page is seen. */
  readonly every?: number | undefined;
  /** Not read while false. */
  readonly enabled?: boolean | undefined;
  /** What was read for another input is shown until this one is there. */
  readonly keepPrevious?: boolean | undefined;
  /** Read once, and never again by itself; forgotten when the page is left. */
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

/** What an operation answers, kept and shared by its input. */
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
      // What is read first, or because something has changed, is to be of this moment.
      const isExact = !wasRead.current || client.getQueryState(queryKey)?.isInvalidated === true;
      const age = every === undefined || isExact ? undefined : maxAgeOf(every);
      const answer = await call(id, { ...input, maxAgeSeconds: age }, signal);
      wasRead.current = true;
      return answer;
    },
    ...queryOptions(options),
  });
}

/** One object with its `ETag`, for a form that changes it. */
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

/** The operations that answer pages. */
export type ListId = { [Id in OperationId]: Answer<Id> extends Page ? Id : never }[OperationId];

export type Item<Id extends ListId> = Answer<Id> extends { readonly data: readonly (infer One)[] } ? One : never;

/** A list as a table shows it: all pages that were read so far. */
export interface Listed<One> {
  readonly items: readonly One[];
  readonly isLoading: boolean;
  readonly error: ApiError | null;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  loadMore(): void;
  refetch(): void;
  /** From the first page on, as if nothing had been read. */
  restart(): void;
}

/** A list page by page; `limit` is the size of a page. */
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

/** A list as a whole, for pages that put it in order or search it themselves. */
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
  /** Operations whose answers this change may alter: they are read again. Its own object's are meant, too. */
  readonly touches?: readonly OperationId[];
  readonly onDone?: (answer: Answer<Id>, input: Input<Id>) => void;
}

/** An operation that changes something. */
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
