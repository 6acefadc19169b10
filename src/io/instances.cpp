// SPDX-License-Identifier: MIT
// Checkpoints and checksums of the models of this library: what headers say that a library has (GP_EXTERN,
// core/level.hpp). What they are made of is compiled elsewhere.
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "graphpatcher/patcher/train_patcher.hpp"
#undef GP_EXTERN
#define GP_EXTERN
#include "graphpatcher/io/backbone_checkpoint.hpp"
#include "graphpatcher/io/fingerprint.hpp"
#include "graphpatcher/io/patcher_checkpoint.hpp"
#include "graphpatcher/io/resumable_training.hpp"
