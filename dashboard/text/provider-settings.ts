import { defineText } from './text.tsx';

/** The settings of providers, by provider and name; the English is that of their manifests. */
export const providerSettings = defineText({
  en: {
    'azure-openai': {
      resource: {
        label: 'Resource',
        help: 'The <resource> in https://<resource>.openai.azure.com. Not needed with a base URL.',
      },
      api_version: {
        label: 'API version',
        help: 'A dated version such as 2024-10-21, for the older per-deployment URLs.',
      },
      batch_suffix: {
        label: 'Suffix of batch deployments',
        help: 'Added to the name of a deployment for relayed lines of batches, such as -batch.',
      },
    },
    bedrock: {
      region: { label: 'Region', help: 'e.g. eu-central-1. Defaults to us-east-1.' },
      beta_flags: {
        label: 'Extra beta flags',
        help: 'Extra anthropic-beta flags that the provider accepts, separated by commas.',
      },
    },
    openai: {
      organization: {
        label: 'Organization',
        help: 'The ID of the organization to bill (org-…), for keys that belong to several.',
      },
      project: { label: 'Project', help: 'The ID of the project whose limits apply (proj_…).' },
    },
    'openai-compatible': {
      server: {
        label: 'Server',
        help: 'The server behind the base URL; requests follow its rules. Detected if left blank.',
      },
    },
    openrouter: {
      app_name: { label: 'App name', help: 'Shown in OpenRouter’s rankings and activity.' },
      app_url: { label: 'App URL', help: 'The app’s URL, for OpenRouter’s rankings.' },
    },
    vertex: {
      project: {
        label: 'Project',
        help: 'The Google Cloud project ID. Defaults to the project of the credentials.',
      },
      location: { label: 'Location', help: 'e.g. europe-west1. Defaults to global.' },
      beta_flags: {
        label: 'Extra beta flags',
        help: 'Extra anthropic-beta flags that the provider accepts, separated by commas.',
      },
    },
  },
  zh: {
    'azure-openai': {
      resource: { label: '资源', help: '即 https://<资源>.openai.azure.com 中的名称；填写了基础 URL 则不需要。' },
      api_version: { label: 'API 版本', help: '带日期的版本，例如 2024-10-21，用于按部署区分的旧网址。' },
      batch_suffix: {
        label: '批处理部署的后缀',
        help: '转交给提供商批处理的行所用部署的名称后缀，例如 -batch。',
      },
    },
    bedrock: {
      region: { label: '区域', help: '例如 eu-central-1，默认为 us-east-1。' },
      beta_flags: {
        label: '其他 beta 标志',
        help: '该提供商额外支持的 anthropic-beta 标志，用逗号分隔。',
      },
    },
    openai: {
      organization: { label: '组织', help: '计费组织的 ID（org-…），适用于属于多个组织的密钥。' },
      project: { label: '项目', help: '适用其限额的项目 ID（proj_…）。' },
    },
    'openai-compatible': {
      server: { label: '服务程序', help: '基础 URL 背后的服务程序，请求按其规则编写；留空则自动识别。' },
    },
    openrouter: {
      app_name: { label: '应用名称', help: '显示在 OpenRouter 的排行和活动中。' },
      app_url: { label: '应用网址', help: '该应用的网址，用于 OpenRouter 的排行。' },
    },
    vertex: {
      project: { label: '项目', help: 'Google Cloud 项目的 ID；默认为凭据所属的项目。' },
      location: { label: '位置', help: '例如 europe-west1，默认为 global。' },
      beta_flags: {
        label: '其他 beta 标志',
        help: '该提供商额外支持的 anthropic-beta 标志，用逗号分隔。',
      },
    },
  },
});
