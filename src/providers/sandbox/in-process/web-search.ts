import { z } from 'zod';

const SITES = ['example.com', 'example.org', 'example.net'];

const request = z.object({
  query: z.string().min(1),
  max_results: z.int().min(0).max(20).default(5),
  include_domains: z.array(z.string()).default([]),
  exclude_domains: z.array(z.string()).default([]),
});

/** Returns an answer like Tavily's, with made-up pages that mention the query, the same for the same request; `null` if it is invalid. */
export function webSearch(body: unknown): object | null {
  const parsed = request.safeParse(body);
  if (!parsed.success) return null;
  const { query, max_results: most, include_domains: included, exclude_domains: excluded } = parsed.data;
  const sites = (included.length > 0 ? included : SITES).filter((site) => !excluded.includes(site));
  const pages = Array.from({ length: sites.length === 0 ? 0 : most }, (_, index) => {
    const site = sites[index % sites.length] ?? '';
    return {
      title: `${query} – page ${index + 1}`,
      url: `https://${site}/${index + 1}?q=${encodeURIComponent(query)}`,
      content: `This made-up page number ${index + 1} of ${site} is about: ${query}.`,
      score: 1 / (index + 1),
    };
  });
  return { query, results: pages, response_time: 0 };
}
