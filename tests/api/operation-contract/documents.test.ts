import { testOperations } from "@/tests/support/contract/operation-contract";

testOperations("documents");
