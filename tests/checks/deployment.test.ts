// The files of deploy/ are valid, use settings that exist, and agree with each other and with the server.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { validate } from "dockerfile-utils";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { loadConfig, settingsSchema } from "@/lib/platform/config";
import { READING_LIMITS } from "@/lib/platform/files/reading-limits";
import packageJson from "@/package.json";
import { INPUTS } from "@/scripts/lib/build-steps.mjs";
import { inRoot } from "@/scripts/lib/paths.mjs";
import { GRACE_MS } from "@/scripts/lib/stop-on-signal";
import { checkHaproxy, findHaproxy } from "../support/haproxy.mjs";

const read = (file: string) => fs.readFileSync(inRoot("deploy", file), "utf8");
const dockerfile = read("Dockerfile");
const proxy = read("haproxy/haproxy.cfg");
const patroni = parse(read("patroni/patroni.yaml"));
/** The values of compose.env.example. */
const values = variablesIn(read("compose.env.example"));
const compose: Compose = parse(
  read("compose.yaml").replace(/\$\{(\w+):\?[^}]*\}/g, (_, name) => values[name] ?? ""),
  { merge: true },
);
const manifests = fs
  .readdirSync(inRoot("deploy/kubernetes"))
  .flatMap((file) =>
    parseAllDocuments(read(`kubernetes/${file}`)).map((document) => ({ file, object: document.toJS() as Manifest })),
  );
const imageSettings = Object.fromEntries(
  [...(/^ENV ((?:.*\\\n)*.*)$/m.exec(dockerfile)?.[1] ?? "").matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [
    name,
    value,
  ]),
);
/** What the image and the manifests set for Next.js and for Node.js, which reads the CA of the database from a file. */
const OTHERS = ["NEXT_TELEMETRY_DISABLED", "NODE_EXTRA_CA_CERTS"];

interface Service {
  image?: string;
  command?: string[];
  environment?: Record<string, string>;
  stop_grace_period?: string;
  read_only?: boolean;
  tmpfs?: string[];
  volumes?: string[];
}
interface Compose {
  services: Record<string, Service>;
}
interface Container {
  image: string;
  ports?: { name: string; containerPort: number }[];
  livenessProbe?: { httpGet: { path: string; port: string } };
  securityContext: { readOnlyRootFilesystem: boolean };
}
interface Pod {
  containers: Container[];
  terminationGracePeriodSeconds?: number;
  topologySpreadConstraints?: object[];
  volumes?: { name: string; emptyDir: { sizeLimit: string } }[];
}
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name?: string };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  spec: { template: { metadata: { labels: Record<string, string> }; spec: Pod }; egress?: { to: object[] }[] };
}

interface ScrapeConfig {
  kubernetes_sd_configs: object[];
  relabel_configs: {
    source_labels: string[];
    regex?: string;
    action?: string;
    target_label?: string;
    replacement?: string;
  }[];
}

function variablesIn(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
}

const ours = Object.entries(compose.services).filter(([, { image }]) => image?.startsWith("crosswalk:"));
const pods = manifests
  .filter(({ object }) => ["Deployment", "Job"].includes(object.kind))
  .map(({ object }) => object.spec.template.spec);
const named = (kind: string, name: string) =>
  manifests.find(({ object }) => object.kind === kind && object.metadata.name === name)?.object;
const clusterSettings = { ...named("ConfigMap", "crosswalk")?.data, ...named("Secret", "crosswalk")?.stringData };
const problemsOf = (settings: Record<string, string>) => () => loadConfig({ ...imageSettings, ...settings });

test("the Dockerfile is valid", () => {
  expect(validate(dockerfile).map(({ message }) => message)).toEqual([]);
});

test("the image is built from every input of the build", () => {
  const lines = fs.readFileSync(inRoot(".dockerignore"), "utf8").split("\n");
  const rules = lines.filter((line) => line && !line.startsWith("#"));
  // The last rule that matches a file or one of its folders decides.
  const isIgnored = (file: string) => {
    const places = new Set(["*", ...file.split("/").map((_, at, names) => names.slice(0, at + 1).join("/"))]);
    return !rules.findLast((rule) => places.has(rule.replace("!", "")))?.startsWith("!");
  };
  for (const rule of rules) expect(rule, "has no other pattern").toMatch(/^(\*|!?[\w./-]+)$/);
  const files = INPUTS.flatMap((input) =>
    fs.statSync(inRoot(input), { throwIfNoEntry: false })?.isDirectory()
      ? fs.readdirSync(inRoot(input), { recursive: true, encoding: "utf8" }).map((file) => path.posix.join(input, file))
      : input,
  );
  // The build itself writes these.
  const others = files.filter((file) => !/^(generated|public\/viewer)\b/.test(file));
  expect(others.filter(isIgnored)).toEqual([]);
  expect(isIgnored(".env")).toBe(true);
});

test("the Compose file matches the Compose specification", () => {
  const args = [inRoot("node_modules/dclint/bin/dclint.cjs"), "--quiet", inRoot("deploy/compose.yaml")];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(status, stdout + stderr).toBe(0);
});

test("the manifests match the types of Kubernetes", () => {
  const versions = new Map([
    ["v1", "core/v1"],
    ["apps/v1", "apps/v1"],
    ["batch/v1", "batch/v1"],
    ["policy/v1", "policy/v1"],
    ["networking.k8s.io/v1", "networking/v1"],
  ]);
  const lines = manifests.map(({ file, object: { apiVersion, kind }, object }, at) => {
    const type = `import("kubernetes-types/${versions.get(apiVersion)}").${kind}`;
    return `export const _${at}: ${type} = ${JSON.stringify(object)}; // ${file}`;
  });
  expect(problemsInTypes(lines.join("\n"))).toEqual([]);
  expect(problemsInTypes(lines.join("\n").replace("readOnlyRootFilesystem", "readOnlyRootFileSystem"))).toHaveLength(1);
});

/** Checks a module against its types, in which object literals have no unknown properties. */
function problemsInTypes(source: string): string[] {
  const file = inRoot("generated/manifests.ts");
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    module: ts.ModuleKind.ESNext,
  };
  const host = ts.createCompilerHost(options);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, source, ts.ScriptTarget.ESNext) : getSourceFile(name, ...rest);
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

test.skipIf(!findHaproxy())("HAProxy accepts its configuration", () => {
  const { status, stderr } = checkHaproxy({ WEB_1: "127.0.0.1:3000", WEB_2: "127.0.0.1:3001" });
  expect(status, stderr).toBe(0);
  expect(stderr).not.toContain("WARNING");
});

describe("settings", () => {
  test("exist", () => {
    const used = [
      imageSettings,
      clusterSettings,
      named("Secret", "crosswalk-owner")?.stringData,
      ...ours.map(([, { environment }]) => environment),
    ];
    const unknown = used
      .flatMap((settings) => Object.keys(settings ?? {}))
      .filter((name) => !(name in settingsSchema.shape));
    expect(unknown).toEqual(OTHERS);
  });

  test("of the Compose file are complete", () => {
    for (const [name, { environment = {} }] of ours)
      if (name !== "migrate") expect(problemsOf(environment)).not.toThrow();
  });

  test("of the manifests are complete", () => {
    expect(problemsOf(clusterSettings)).not.toThrow();
    expect(problemsOf({ ...clusterSettings, SECRET_KEY: "" })).toThrow("SECRET_KEY");
  });

  test("of the example file are those of the Compose file", () => {
    const used = [...read("compose.yaml").matchAll(/\$\{(\w+):\?[^}]*\}/g)].map(([, name]) => name);
    expect(Object.keys(values).sort()).toEqual([...new Set(used)].sort());
  });
});

describe("Prometheus in Kubernetes", () => {
  const { kubernetes_sd_configs, relabel_configs }: ScrapeConfig = parse(read("prometheus/kubernetes.yaml"))
    .scrape_configs[0];

  /** Applies the rules to each port of the pods, which are all in one phase. */
  function findIn(phase: string) {
    return manifests.flatMap(({ object: { kind, metadata, spec } }) => {
      if (!["Deployment", "Job"].includes(kind)) return [];
      const { labels } = spec.template.metadata;
      const ports = spec.template.spec.containers.flatMap(({ ports = [] }) => ports);
      return ports.flatMap((port) => {
        const known = new Map([
          ["__meta_kubernetes_pod_name", `${metadata.name}-1`],
          ["__meta_kubernetes_pod_phase", phase],
        ]);
        for (const [name, value] of Object.entries(labels))
          known.set(`__meta_kubernetes_pod_label_${name.replace(/\W/g, "_")}`, value);
        known.set("__meta_kubernetes_pod_container_port_name", port.name);
        for (const { source_labels, regex = ".*", action, target_label = "", replacement } of relabel_configs) {
          const value = source_labels.map((name) => known.get(name) ?? "").join(";");
          const isMatch = new RegExp(`^(?:${regex})$`).test(value);
          if (action === "keep" ? !isMatch : action === "drop" && isMatch) return [];
          if (action === undefined && isMatch) known.set(target_label, replacement ?? value);
        }
        return [{ process: known.get("process"), instance: known.get("instance"), port: String(port.containerPort) }];
      });
    });
  }

  test("finds the servers and workers", () => {
    expect(kubernetes_sd_configs).toEqual([{ role: "pod", namespaces: { names: ["crosswalk"] } }]);
    const port = imageSettings.METRICS_PORT;
    expect(findIn("Running")).toEqual([
      { process: "server", instance: "crosswalk-web-1", port },
      { process: "worker", instance: "crosswalk-worker-1", port },
    ]);
  });

  test.each(["Failed", "Succeeded"])("does not find pods that have ended: %s", (phase) => {
    expect(findIn(phase)).toEqual([]);
  });
});

test("ports agree", () => {
  const { PORT = "", METRICS_PORT = "" } = imageSettings;
  expect(dockerfile).toContain(`\nEXPOSE ${PORT} ${METRICS_PORT}\n`);
  for (const name of ["web-1", "web-2"]) {
    expect(proxy).toContain(` ${name}:${PORT}\n`);
    expect(read("prometheus/compose.yaml")).toContain(`"${name}:${METRICS_PORT}"`);
  }
  expect(read("prometheus/compose.yaml")).toContain(`port: ${METRICS_PORT}\n`);
  const ports = pods.flatMap(({ containers }) => containers.flatMap(({ ports = [] }) => ports));
  for (const { name, containerPort } of ports)
    expect(String(containerPort)).toBe(name === "http" ? PORT : METRICS_PORT);
  expect(compose.services.store?.environment?.VGW_PORT).toBe(
    `:${new URL(compose.services["web-1"]?.environment?.S3_ENDPOINT ?? "").port}`,
  );
});

test("images have exact versions, and ours is that of the package", () => {
  const images = [
    ...Object.values(compose.services).map(({ image = "" }) => image),
    ...pods.flatMap(({ containers }) => containers.map(({ image }) => image)),
    /^ARG BASE=(.*)$/m.exec(dockerfile)?.[1] ?? "",
  ];
  for (const image of images) {
    expect(image).toMatch(/:v?\d+\.\d+/);
    if (image.startsWith("crosswalk:")) expect(image).toBe(`crosswalk:${packageJson.version}`);
  }
});

test("our containers can't write to their files", () => {
  for (const [name, { read_only }] of ours) expect(read_only, name).toBe(true);
  for (const { containers } of pods) expect(containers[0]?.securityContext.readOnlyRootFilesystem).toBe(true);
});

test("PostgreSQL logs no details of errors, which have data of patients", () => {
  expect(compose.services.postgres?.command).toContain("log_error_verbosity=terse");
  expect(patroni.bootstrap.dcs.postgresql.parameters.log_error_verbosity).toBe("terse");
  expect(fs.readFileSync(inRoot("docs/guides/database.md"), "utf8")).toContain("SET log_error_verbosity = terse;");
});

test("pods are restarted only if they don't respond at the port that MAX_CONNECTIONS does not limit", () => {
  const probes = pods.flatMap(({ containers }) => containers.flatMap(({ livenessProbe }) => livenessProbe ?? []));
  expect(probes.map(({ httpGet }) => httpGet)).toEqual(Array(2).fill({ path: "/healthz", port: "metrics" }));
});

test("the pods of a deployment run on different nodes if they can", () => {
  const templates = manifests
    .filter(({ object }) => object.kind === "Deployment")
    .map(({ object }) => object.spec.template);
  expect(templates).toHaveLength(2);
  for (const { metadata, spec } of templates)
    expect(spec.topologySpreadConstraints).toEqual([
      {
        maxSkew: 1,
        topologyKey: "kubernetes.io/hostname",
        whenUnsatisfiable: "ScheduleAnyway",
        labelSelector: { matchLabels: metadata.labels },
      },
    ]);
});

test("workers have room for two files and their rows on a disk", () => {
  const { tmpfs, volumes } = compose.services.worker ?? {};
  expect({ tmpfs, volumes }).toEqual({ tmpfs: [], volumes: ["/tmp"] });
  const worker = named("Deployment", "crosswalk-worker")?.spec.template.spec;
  const { sizeLimit = "" } = worker?.volumes?.find(({ name }) => name === "tmp")?.emptyDir ?? {};
  const gib = Number(/^(\d+)Gi$/.exec(sizeLimit)?.[1]);
  expect(gib * 1024 ** 3).toBeGreaterThan(2 * 2 * READING_LIMITS.unpackedBytes);
  expect(read("README.md")).toContain(`${gib} GiB`);
});

test("pods reach pods, which an address block may not contain", () => {
  const egress = named("NetworkPolicy", "crosswalk")?.spec.egress?.flatMap(({ to }) => to);
  expect(egress).toContainEqual({ namespaceSelector: {} });
});

describe("a server", () => {
  const delays = {
    compose: Number(compose.services["web-1"]?.environment?.STOP_DELAY_MS),
    kubernetes: Number(clusterSettings.STOP_DELAY_MS),
  };

  test("has time to stop before it is killed", () => {
    const needed = (delayMs: number) => (delayMs + GRACE_MS) / 1_000 + 10;
    expect(Number.parseInt(compose.services["web-1"]?.stop_grace_period ?? "", 10)).toBeGreaterThanOrEqual(
      needed(delays.compose),
    );
    const web = pods.find(({ containers }) => containers[0]?.ports?.some(({ name }) => name === "http"));
    expect(web?.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(needed(delays.kubernetes));
  });

  test("accepts requests until HAProxy has noticed that it stops", () => {
    const [, inter, fastinter, fall] = /inter (\d+)s fastinter (\d+)ms .* fall (\d+)/.exec(proxy) ?? [];
    const noticedMs = Number(inter) * 1_000 + Number(fastinter) * (Number(fall) - 1);
    expect(noticedMs).toBeGreaterThan(0);
    expect(delays.compose).toBeGreaterThan(2 * noticedMs);
    expect(proxy).toContain(` at most ${noticedMs / 1_000} s.`);
    expect(read("README.md")).toContain(`: ${noticedMs / 1_000} s for HAProxy`);
  });
});

test("every file is described", () => {
  const files = fs
    .readdirSync(inRoot("deploy"), { recursive: true, encoding: "utf8" })
    .filter((file) => path.extname(file) || file === "Dockerfile");
  const folders = new Set(files.map((file) => (path.dirname(file) === "." ? file : `${path.dirname(file)}/`)));
  const readme = read("README.md");
  expect([...folders].filter((name) => name !== "README.md" && !readme.includes(`\`${name}`))).toEqual([]);
});
