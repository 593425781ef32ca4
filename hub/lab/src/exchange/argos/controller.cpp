#include "controller.hpp"
#include "trees.hpp"
#include <algorithm>
#include <cmath>

using namespace argos;
using namespace xpuck;

namespace {

// Ranges of Xpuck's reference robot (m).
const double PROX_RANGE = 0.03, NEIGHBOUR_MIN = 0.075;
// Limits of the shades of the floor.
const double BLACK_BELOW = 0.25, WHITE_ABOVE = 0.75;
const double RAYS[8] = {0.297, 0.855, 1.571, 2.618, -2.618, -1.571, -0.855, -0.297};

// Distance for a reading of ARGoS's proximity sensor (m): the inverse of its CalculateReading.
double distance(double reading) {
    if (reading <= 0.0) return PROX_RANGE;
    double a = 298.701, b = -36.8961, c = 1.08212 - reading;
    return std::max(0.0, (-b - std::sqrt(std::max(0.0, b * b - 4.0 * a * c))) / (2.0 * a));
}

}  // namespace

void CXpuckController::Init(TConfigurationNode &t_node) {
    proximity = GetSensor<CCI_EPuckProximitySensor>("epuck_proximity");
    if (HasSensor("ground")) ground = GetSensor<CCI_GroundSensor>("ground"); // Only worlds with paint have it.
    heard = GetSensor<CCI_RangeAndBearingSensor>("range_and_bearing");
    positioning = GetSensor<CCI_PositioningSensor>("positioning");
    told = GetActuator<CCI_RangeAndBearingActuator>("range_and_bearing");
    wheels = GetActuator<CCI_DifferentialSteeringActuator>("differential_steering");
    GetNodeAttribute(t_node, "tree", tree);
    GetNodeAttribute(t_node, "seed", seed);
    GetNodeAttribute(t_node, "run", run);
    number = FromString<UInt32>(GetId().substr(GetId().find('_') + 1));
    Reset();
}

void CXpuckController::Reset() {
    mind.reset(new Mind(TREES[tree]));
    std::fill(sensed, sensed + CELLS, 0.0f);
    std::fill(seen, seen + 6, 0.0f);
    updates = 0;
}

void CXpuckController::Sense() {
    double x = 0.0, y = 0.0;
    const auto &readings = proximity->GetReadings();
    for (size_t i = 0; i < readings.size(); ++i) {
        double reading = std::max(0.0, 1.0 - distance(readings[i].Value) / PROX_RANGE);
        x += reading * std::cos(RAYS[i]), y += reading * std::sin(RAYS[i]);
    }
    sensed[PROX] = float(x), sensed[PROX + 1] = float(y);
    double floor = ground ? ground->GetReadings()[1] : 0.5; // The middle one of three: 0 black, 1 white.
    sensed[GROUND] = floor < BLACK_BELOW ? -1.0f : floor > WHITE_ABOVE ? 1.0f : 0.0f;
    CRadians heading, pitch, roll;
    positioning->GetReading().Orientation.ToEulerAngles(heading, pitch, roll);
    sensed[UP] = float(Cos(heading)), sensed[UP + 1] = float(-Sin(heading));
    if (updates % 2 != 0) return; // Camera and range and bearing have half the update rate.
    x = 1.0, y = 0.0;
    const auto &packets = heard->GetReadings();
    if (!packets.empty()) x = 0.0;
    for (const auto &packet : packets) {
        double strength = NEIGHBOUR_MIN / (packet.Range * 0.01);
        x += strength * Cos(packet.HorizontalBearing), y += strength * Sin(packet.HorizontalBearing);
    }
    sensed[ATTR] = float(x), sensed[ATTR + 1] = float(y), sensed[NEIGHBOURS] = float(packets.size());
    std::copy(seen, seen + 6, sensed + RED);
}

void CXpuckController::ControlStep() {
    told->SetData(0, 1);
    Sense();
    Draws draws(seed, run, number, updates++);
    mind->tick(sensed, draws);
    float goal[2], speeds[2];
    mind->goal(goal);
    steer(goal, speeds);
    wheels->SetLinearVelocity(100.0 * speeds[0], 100.0 * speeds[1]);
}

REGISTER_CONTROLLER(CXpuckController, "xpuck_controller")
