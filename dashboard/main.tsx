import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/use-api.ts';
import { KitProvider } from './kit/provider.tsx';
import { createPages } from './routes.tsx';
import { LanguageProvider } from './text/text.tsx';
import './shell/theme.ts';

const queryClient = createQueryClient();
const router = createPages();

const root = document.getElementById('root');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <LanguageProvider>
        <QueryClientProvider client={queryClient}>
          <KitProvider>
            <RouterProvider router={router} />
          </KitProvider>
        </QueryClientProvider>
      </LanguageProvider>
    </StrictMode>,
  );
