// A robot of ARGoS 3 (its e-puck) that runs a tree of trees.hpp.
#ifndef XPUCK_CONTROLLER_HPP
#define XPUCK_CONTROLLER_HPP

#include "tree.hpp"
#include <argos3/core/control_interface/ci_controller.h>
#include <argos3/plugins/robots/e-puck/control_interface/ci_epuck_proximity_sensor.h>
#include <argos3/plugins/robots/generic/control_interface/ci_differential_steering_actuator.h>
#include <argos3/plugins/robots/generic/control_interface/ci_ground_sensor.h>
#include <argos3/plugins/robots/generic/control_interface/ci_positioning_sensor.h>
#include <argos3/plugins/robots/generic/control_interface/ci_range_and_bearing_actuator.h>
#include <argos3/plugins/robots/generic/control_interface/ci_range_and_bearing_sensor.h>
#include <memory>

class CXpuckController : public argos::CCI_Controller {
public:
    void Init(argos::TConfigurationNode &t_node) override;
    void ControlStep() override;
    void Reset() override;

    // Values of v_red, v_green and v_blue, set by the loop functions.
    float seen[6] = {};

private:
    argos::CCI_EPuckProximitySensor *proximity = nullptr;
    argos::CCI_GroundSensor *ground = nullptr;
    argos::CCI_RangeAndBearingSensor *heard = nullptr;
    argos::CCI_RangeAndBearingActuator *told = nullptr;
    argos::CCI_PositioningSensor *positioning = nullptr;
    argos::CCI_DifferentialSteeringActuator *wheels = nullptr;
    argos::UInt32 tree = 0, run = 0, number = 0, updates = 0;
    argos::UInt64 seed = 1;
    float sensed[xpuck::CELLS] = {};
    std::unique_ptr<xpuck::Mind> mind;

    void Sense();
};

#endif
