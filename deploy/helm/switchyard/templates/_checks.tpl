{{/* Values that the schema accepts one by one, and that contradict each other. */}}
{{- define "switchyard.checks" -}}
{{- $problems := list -}}
{{- if include "switchyard.isSqlite" . -}}
{{- if gt (include "switchyard.replicas" . | int) 1 -}}
{{- $problems = append $problems "replicaCount must be 1 with database.type sqlite, because one process owns the file. Use PostgreSQL for several." -}}
{{- end -}}
{{- if .Values.autoscaling.enabled -}}
{{- $problems = append $problems "autoscaling.enabled needs PostgreSQL: set database.type to external or bundled." -}}
{{- end -}}
{{- else if not (or .Values.masterSecret.existingSecret.name .Values.masterSecret.value .Values.masterSecret.generate (eq .Values.database.type "bundled")) -}}
{{- $problems = append $problems "masterSecret is missing: set masterSecret.existingSecret.name, or masterSecret.generate to true." -}}
{{- end -}}
{{- if and (eq .Values.database.type "external") (not (or .Values.database.existingSecret.name .Values.database.url)) -}}
{{- $problems = append $problems "database.type is external: set database.existingSecret.name or database.url." -}}
{{- end -}}
{{- if and (eq .Values.redis.type "external") (not (or .Values.redis.existingSecret.name .Values.redis.url)) -}}
{{- $problems = append $problems "redis.type is external: set redis.existingSecret.name or redis.url." -}}
{{- end -}}
{{- if and .Values.metrics.enabled (not (or .Values.metrics.token.existingSecret.name .Values.metrics.token.value)) -}}
{{- $problems = append $problems "metrics.enabled: set metrics.token.existingSecret.name, or metrics.token.value (16 to 200 characters)." -}}
{{- end -}}
{{- if and .Values.metrics.serviceMonitor.enabled (not .Values.metrics.enabled) -}}
{{- $problems = append $problems "metrics.serviceMonitor.enabled needs metrics.enabled, because Prometheus has to send a token." -}}
{{- end -}}
{{- if and (or .Values.metrics.prometheusRule.enabled .Values.metrics.dashboards.enabled) (not .Values.metrics.enabled) -}}
{{- $problems = append $problems "metrics.prometheusRule.enabled and metrics.dashboards.enabled need metrics.enabled, because they read the metrics." -}}
{{- end -}}
{{- if .Values.existingConfigMap.name -}}
{{- if .Values.config -}}
{{- $problems = append $problems "config and existingConfigMap.name exclude each other: keep one of them." -}}
{{- end -}}
{{- end -}}
{{- if and .Values.autoscaling.enabled (lt (int .Values.autoscaling.maxReplicas) (int .Values.autoscaling.minReplicas)) -}}
{{- $problems = append $problems "autoscaling.maxReplicas must be at least autoscaling.minReplicas." -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) -}}
{{- $problems = append $problems "ingress.enabled: name at least one host in ingress.hosts." -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) -}}
{{- $problems = append $problems "httpRoute.enabled: name the Gateway in httpRoute.parentRefs." -}}
{{- end -}}
{{- range $variable, $source := .Values.secrets -}}
{{- if has $variable (list "SWITCHYARD_SECRET" "DATABASE_URL" "REDIS_URL" "METRICS_TOKEN") -}}
{{- $problems = append $problems (printf "secrets.%s has a value of its own: use masterSecret, database, redis or metrics.token." $variable) -}}
{{- end -}}
{{- end -}}
{{- range include "switchyard.plainSecrets" (dict "value" .Values.config "path" "config") | trim | splitList "\n" -}}
{{- if . -}}
{{- $problems = append $problems (printf "%s would be readable in a ConfigMap: write ${NAME} there, and add NAME to secrets." .) -}}
{{- end -}}
{{- end -}}
{{- if $problems -}}
{{- fail (printf "\n- %s" (join "\n- " $problems)) -}}
{{- end -}}
{{- end -}}
