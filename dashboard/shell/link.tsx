import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Search } from './search.ts';

/** Returns a function that navigates to another page. */
export function useGo(): (to: string, search?: Search) => void {
  const navigate = useNavigate();
  return useCallback(
    (to, search = {}) => {
      void navigate({ to, search: search as never });
    },
    [navigate],
  );
}
